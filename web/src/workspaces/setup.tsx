import type { Setup as SetupInput, SetupState } from '@signalbox/contract/app/sign-in.ts'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type Failure, get, post } from '../api/client.ts'
import { Entry, focusFirst } from '../sign-in/entry.tsx'
import { PasswordField } from '../sign-in/password-field.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Loaded } from '../ui/page.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { NameFields } from './name-fields.tsx'

/** The first visit to a new server: its first person and its first workspace. */
export function Setup() {
  const state = useQuery<SetupState, Failure>({
    queryKey: ['', 'setup'],
    queryFn: ({ signal }) => get('/api/setup', {}, signal),
  })
  if (state.data?.needed === false) {
    return (
      <Entry
        title="This server is already set up"
        lead="To join a workspace, ask one of its owners for an invitation."
      >
        <Link to="/login" className={`${buttonClass('primary', 'large')} w-full`}>
          Sign in
        </Link>
      </Entry>
    )
  }
  return (
    <Entry wide title="Set up Signalbox" lead="You’ll own the first workspace. You can invite others later.">
      <Loaded of={state} lines={5}>
        {() => <SetupForm />}
      </Loaded>
    </Entry>
  )
}

function SetupForm() {
  const { code } = useSearch({ from: '/setup' })
  const send = useMutation<unknown, Failure, SetupInput>({
    mutationFn: (given) => post('/api/setup', given),
    onSuccess: (_, { workspace }) => location.assign(`/${workspace.slug}/start`),
  })
  const submit = (given: Given) => {
    const text = (name: string) => given(name).trim()
    send.mutate({
      code: text('code'),
      name: text('name'),
      email: text('email'),
      password: given('password'),
      workspace: { name: text('workspace'), slug: text('slug') },
    })
  }
  return (
    <Form onSend={submit}>
      <TextField
        {...(code ? {} : { ref: focusFirst })}
        label="Setup code"
        hint="The server prints it when it starts, so only the person running the server can set it up."
        name="code"
        required
        defaultValue={code ?? ''}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={100}
        className="font-mono"
      />
      <TextField
        {...(code ? { ref: focusFirst } : {})}
        label="Your name"
        name="name"
        required
        maxLength={maxNameLength}
        pattern=".*\S.*"
        autoComplete="name"
      />
      <EmailField autoComplete="username" />
      <PasswordField label="Password" name="password" isNew />
      <NameFields />
      <Wrong>{send.error?.message}</Wrong>
      <Button type="submit" look="primary" size="large" busy={send.isPending}>
        Set up
      </Button>
    </Form>
  )
}
