import type { OidcStart } from '@signalbox/contract/app/sign-in.ts'
import { useMutation } from '@tanstack/react-query'
import { KeyRound, LogIn } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Failure, post } from '../api/client.ts'
import { endProof } from '../api/proof.ts'
import { usePersonal } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Wrong } from '../ui/refused.tsx'
import { focusFirst } from './entry.tsx'
import { proveWithPasskey, wasPutAway } from './passkey.ts'
import { PasswordField } from './password-field.tsx'
import { onProven } from './proof-channel.ts'
import { useWays } from './ways.ts'

const proven = () => endProof(true)
const close = () => endProof(false)

/** Asks a person who signed in a while ago to prove that it is they; what they asked for then goes on. */
export default function ProofDialog() {
  const account = usePersonal('account.read', {})
  const ways = useWays()
  const window = useProviderWindow()
  const byPassword = useMutation<unknown, Failure, string>({
    mutationFn: (password) => post('/api/auth/prove/password', { password }),
    onSuccess: proven,
  })
  const byPasskey = useMutation({ mutationFn: proveWithPasskey, onSuccess: proven })
  const { hasPassword = false, passkeys = [], oidc = null } = account.data ?? {}
  const error = byPassword.error ?? shownOf(byPasskey.error) ?? window.error ?? account.error
  return (
    <Dialog title="Confirm your identity" description="You signed in a while ago." onClose={close}>
      <Form isKept onSend={(given) => byPassword.mutate(given('password'))}>
        {hasPassword && <PasswordField ref={focusFirst} label="Password" name="password" />}
        <Wrong>{error?.message}</Wrong>
        {passkeys.length > 0 && ways.data?.passkey && (
          <Button
            icon={<KeyRound size={16} aria-hidden="true" />}
            busy={byPasskey.isPending}
            onClick={() => byPasskey.mutate()}
          >
            Use a passkey
          </Button>
        )}
        {oidc?.linked && (
          <Button icon={<LogIn size={16} aria-hidden="true" />} busy={window.isPending} onClick={window.open}>
            <span className="truncate">Continue with {oidc.name}</span>
          </Button>
        )}
        {hasPassword && <DialogEnd action="Confirm" busy={byPassword.isPending} onClose={close} />}
      </Form>
    </Dialog>
  )
}

/** The provider asks in a window of its own, so that this page, and what was typed in it, stays. */
function useProviderWindow() {
  const opened = useRef<Window | null>(null)
  const start = useMutation<OidcStart, Failure>({
    mutationFn: () => post('/api/auth/prove/oidc'),
    onSuccess: ({ url }) => opened.current?.location.assign(url),
    onError: () => opened.current?.close(),
  })
  useEffect(() => onProven(proven), [])
  const open = () => {
    // Only a click may open a window, so it is opened before it is known where to.
    opened.current = window.open('', 'signalbox-proof', 'popup,width=520,height=680')
    start.mutate()
  }
  return { open, isPending: start.isPending, error: start.error }
}

const shownOf = (error: Error | null): Error | null =>
  !error || wasPutAway(error)
    ? null
    : error instanceof Failure
      ? error
      : new Error('Your browser couldn’t use a passkey. Use another way.')
