import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type Failure, get, post, provenIfAsked } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Entry, focusFirst } from './entry.tsx'

type Verb = 'approve' | 'deny'

/** Confirms a sign-in that was begun in a terminal, by the code that it shows. */
export function Device() {
  const { user_code: given } = useSearch({ from: '/device' })
  const decide = useMutation<Verb, Failure, { code: string; verb: Verb }>({
    mutationFn: async ({ code, verb }) => {
      // Looking at a code makes it ours to decide.
      await get('/api/auth/device', { user_code: code })
      await provenIfAsked(() => post(`/api/auth/device/${verb}`, { userCode: code }))
      return verb
    },
  })
  if (decide.isSuccess) {
    const isApproved = decide.data === 'approve'
    return (
      <Entry title={isApproved ? 'Terminal signed in' : 'Sign-in denied'}>
        <p role="status" className="text-sm">
          {isApproved
            ? 'You can close this page and go back to your terminal.'
            : 'The terminal wasn’t signed in.'}
        </p>
      </Entry>
    )
  }
  return (
    <Entry
      title="Sign in to a terminal"
      lead="A terminal asked to act as you. Continue only if you started it and it shows this code."
    >
      <Form onSend={(value) => decide.mutate({ code: value('code').trim(), verb: 'approve' })}>
        <TextField
          {...(given ? { defaultValue: given } : { ref: focusFirst })}
          label="Code"
          name="code"
          required
          maxLength={20}
          autoComplete="off"
          spellCheck={false}
        />
        <Wrong>{decide.error?.message}</Wrong>
        <Button type="submit" look="primary" size="large" busy={decide.isPending}>
          Sign in terminal
        </Button>
        {given && (
          <Button
            type="button"
            size="large"
            disabled={decide.isPending}
            onClick={() => decide.mutate({ code: given, verb: 'deny' })}
          >
            Deny
          </Button>
        )}
      </Form>
    </Entry>
  )
}
