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
    Request a new link
  </Link>
)

function AskForLink({ wasRefused }: { wasRefused: boolean }) {
  const ways = useWays()
  const ask = useMutation<unknown, Failure, string>({
    mutationFn: (email) => post('/api/auth/request-password-reset', { email }),
  })
  if (ask.isSuccess) {
    return (
      <Entry title="Check your email" below={back}>
        <p role="status" className="text-sm">
          If there’s an account for <span className="font-medium wrap-anywhere">{ask.variables}</span>, we’ve
          sent it a link. The link works once, for one hour.
        </p>
      </Entry>
    )
  }
  const refusal = wasRefused ? 'That link was already used or has expired.' : undefined
  if (ways.data && !ways.data.mail) {
    return (
      <Entry title="Reset your password" below={back}>
        <Wrong>{refusal}</Wrong>
        <p className="mt-4 text-sm text-muted first:mt-0">
          This server can’t send email. Ask the person who runs it for a reset link.
        </p>
      </Entry>
    )
  }
  return (
    <Entry title="Reset your password" lead="We’ll email you a link to choose a new one." below={back}>
      {ways.isPending ? (
        <Skeleton lines={2} />
      ) : (
        <Form onSend={(given) => ask.mutate(given('email').trim())}>
          <EmailField ref={focusFirst} autoComplete="username" />
          <Wrong>{ask.error?.message ?? refusal}</Wrong>
          <Button type="submit" look="primary" size="large" busy={ask.isPending}>
            Send link
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
          You’ve been signed out everywhere. Sign in with your new password.
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
      lead="You’ll be signed out everywhere."
      below={set.error ? another : back}
    >
      <Form onSend={(given) => set.mutate(given('password'))}>
        <PasswordField ref={focusFirst} label="New password" name="password" isNew />
        <Wrong>{set.error?.message}</Wrong>
        <Button type="submit" look="primary" size="large" busy={set.isPending}>
          Change password
        </Button>
      </Form>
    </Entry>
  )
}
