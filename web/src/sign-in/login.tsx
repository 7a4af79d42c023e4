import type { OidcStart, SignedIn } from '@signalbox/contract/app/sign-in.ts'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound, LogIn } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { Failure, post } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { EmailField } from '../ui/email-field.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Wrong } from '../ui/refused.tsx'
import { Entry, entryLink, focusFirst } from './entry.tsx'
import { pathAfter } from './next.ts'
import { signInWithPasskey, stopSuggestingPasskeys, suggestPasskeys, wasPutAway } from './passkey.ts'
import { PasswordField } from './password-field.tsx'
import { SecondFactor } from './second-factor.tsx'
import { useWays } from './ways.ts'

/** What the way back from the identity provider says. */
const refusals: Record<string, string> = {
  oidc_unknown_person: 'There’s no account with that email address. Ask an owner or admin for an invitation.',
  oidc_not_verified: 'Your identity provider hasn’t verified that email address. Sign in with your password.',
  oidc_failed: 'Sign-in with your identity provider failed. Try again, or sign in another way.',
}

export function Login() {
  const { next, error: cameBackWith } = useSearch({ from: '/login' })
  const navigate = useNavigate()
  const ways = useWays()
  const [asksForCode, setAsksForCode] = useState(false)
  const password = useRef<HTMLInputElement>(null)
  // A whole new page: nothing read as someone else stays in memory.
  const enter = () => location.assign(pathAfter(next))

  const byPassword = useMutation<SignedIn, Failure, { email: string; password: string }>({
    mutationFn: (given) => post('/api/auth/sign-in/email', given),
    onSuccess: ({ twoFactor }) => (twoFactor ? setAsksForCode(true) : enter()),
    onError: () => password.current?.select(),
  })
  const byPasskey = useMutation({
    mutationFn: signInWithPasskey,
    onSuccess: enter,
  })
  const byProvider = useMutation<OidcStart, Failure>({
    mutationFn: () => post('/api/auth/sign-in/oidc', { returnTo: pathAfter(next) }),
    onSuccess: ({ url }) => location.assign(url),
  })

  const { passkey = false, setup = false, oidc, mail } = ways.data ?? {}
  useEffect(() => {
    if (setup) void navigate({ to: '/setup', replace: true })
  }, [setup, navigate])
  useSuggestedPasskey(passkey && !asksForCode, pathAfter(next))

  if (asksForCode) return <SecondFactor onDone={enter} onBack={() => setAsksForCode(false)} />

  const submit = (given: Given) => {
    byPasskey.reset()
    byProvider.reset()
    byPassword.mutate({ email: given('email').trim(), password: given('password') })
  }
  const error = byPassword.error ?? shownOf(byPasskey.error) ?? byProvider.error ?? ways.error
  const said = error?.message ?? (cameBackWith && !byPassword.isPending ? refusals[cameBackWith] : undefined)
  return (
    <Entry
      title="Sign in to Signalbox"
      lead={cameBackWith === 'session_ended' && 'Your session has ended. Sign in to continue.'}
      below={
        mail === false ? (
          'Forgot your password? Ask the person who runs this server for a reset link.'
        ) : (
          <Link to="/login/reset" className={entryLink}>
            Forgot your password?
          </Link>
        )
      }
    >
      <Form onSend={submit}>
        <EmailField ref={focusFirst} autoComplete="username webauthn" />
        <PasswordField ref={password} label="Password" name="password" />
        <Wrong>{said}</Wrong>
        <Button type="submit" look="primary" size="large" busy={byPassword.isPending}>
          Sign in
        </Button>
      </Form>
      {(passkey || oidc) && (
        <div className="mt-4 flex flex-col gap-2 border-t pt-4">
          {passkey && (
            <Button
              size="large"
              icon={<KeyRound size={16} aria-hidden="true" />}
              busy={byPasskey.isPending}
              onClick={() => byPasskey.mutate()}
            >
              Sign in with a passkey
            </Button>
          )}
          {oidc && (
            <Button
              size="large"
              icon={<LogIn size={16} aria-hidden="true" />}
              busy={byProvider.isPending}
              onClick={() => byProvider.mutate()}
            >
              <span className="truncate">Continue with {oidc.name}</span>
            </Button>
          )}
        </div>
      )}
    </Entry>
  )
}

const shownOf = (error: Error | null): Error | null =>
  !error || wasPutAway(error)
    ? null
    : error instanceof Failure
      ? error
      : new Error('Your browser couldn’t use a passkey. Sign in with your password.')

/** Offers passkeys among what the browser suggests for the address. */
function useSuggestedPasskey(offered: boolean, then: string): void {
  useEffect(() => {
    if (!offered) return
    void suggestPasskeys().then((isSignedIn) => isSignedIn && location.assign(then))
    return () => void stopSuggestingPasskeys()
  }, [offered, then])
}
