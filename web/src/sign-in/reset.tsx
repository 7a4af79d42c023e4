import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { type Failure, post } from '../api/client.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { Form } from '../ui/form.tsx'
import { Skeleton } from '../ui/page.tsx'
import { Wrong } from '../ui/refused.tsx'
import { Entry, entryLink, focusFirst } from './entry.tsx'
import { PasswordField } from './password-field.tsx'
import { useWays } from './ways.ts'

/** A forgotten password: asks for a link, or, with one, for a new password. */
export function Reset() {
  const { token, error } = useSearch({ from: '/login/reset' })
  return token && !error ? <NewPassword token={token} /> : <AskForLink wasRefused={Boolean(error)} />
}

const back = (
  <Link to="/login" className={entryLink}>
    Back to sign in
  </Link>
)

const another = (
  <Link to="/login/reset" className={entryLink}>
    Ask for another link
  </Link>
)

function AskForLink({ wasRefused }: { wasRefused: boolean }) {
  const ways = useWays()
  const ask = useMutation<unknown, Failure, string>({
    mutationFn: (email) => post('/api/auth/request-password-reset', { email }),
  })
  if (ask.isSuccess) {
    return (
      <Entry title="Check your mail" below={back}>
        <p role="status" className="text-sm">
          If somebody here has the address <span className="font-medium wrap-anywhere">{ask.variables}</span>,
          a link is on its way to it. It works once, for an hour.
        </p>
      </Entry>
    )
  }
  const refusal = wasRefused ? 'That link was used already or is more than an hour old.' : undefined
  if (ways.data && !ways.data.mail) {
    return (
      <Entry title="Forgotten password" below={back}>
        <Wrong>{refusal}</Wrong>
        <p className="mt-4 text-sm first:mt-0">
          This server sends no mail. Whoever runs it can make you a link to choose a new password.
        </p>
      </Entry>
    )
  }
  return (
    <Entry title="Forgotten password" lead="A link to choose a new one comes by mail." below={back}>
      {ways.isPending ? (
        <Skeleton lines={2} />
      ) : (
        <Form onSend={(given) => ask.mutate(given('email').trim())}>
          <EmailField ref={focusFirst} autoComplete="username" />
          <Wrong>{ask.error?.message ?? refusal}</Wrong>
          <Button type="submit" look="primary" size="large" busy={ask.isPending}>
            Send the link
          </Button>
        </Form>
      )}
    </Entry>
  )
}

function NewPassword({ token }: { token: string }) {
  const set = useMutation<unknown, Failure, string>({
    mutationFn: (newPassword) => post('/api/auth/reset-password', { token, newPassword }),
  })
  if (set.isSuccess) {
    return (
      <Entry title="Password changed">
        <p role="status" className="mb-4 text-sm">
          All your sessions have ended. Sign in with the new password.
        </p>
        <Link to="/login" className={`${buttonClass('primary', 'large')} w-full`}>
          Sign in
        </Link>
      </Entry>
    )
  }
  return (
    <Entry
      title="Choose a new password"
      lead="Wherever you are signed in now, you will have to sign in again."
      below={set.error ? another : back}
    >
      <Form onSend={(given) => set.mutate(given('password'))}>
        <PasswordField ref={focusFirst} label="New password" name="password" isNew />
        <Wrong>{set.error?.message}</Wrong>
        <Button type="submit" look="primary" size="large" busy={set.isPending}>
          Change the password
        </Button>
      </Form>
    </Entry>
  )
}
