import type { Account } from '@signalbox/contract/app/account.ts'
import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/browser'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound, Plus } from 'lucide-react'
import { Failure, get, post, provenIfAsked } from '../api/client.ts'
import { wasPutAway } from '../sign-in/passkey.ts'
import { useWays } from '../sign-in/ways.ts'
import { AskButton, Dialog, DialogEnd, OpenButton } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Card, Section } from '../ui/page.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Time } from '../ui/time.tsx'
import { say } from '../ui/toast.tsx'
import { useSignInChange } from './change.ts'
import { Refused } from './sign-in-again.tsx'

type Passkey = Account['passkeys'][number]

export function Passkeys({ passkeys }: { passkeys: Passkey[] }) {
  const offered = useWays().data?.passkey
  const remove = useSignInChange<{ id: string }>('passkey/delete-passkey', { said: 'Passkey removed' })
  return (
    <Section
      title="Passkeys"
      hint="Sign in with your device or a security key instead of a password."
      aside={
        <OpenButton
          label="Add passkey"
          icon={<Plus size={14} />}
          forbidden={
            offered === false &&
            'Passkeys need a host name. They don’t work with an IP address such as 127.0.0.1'
          }
        >
          {(close) => <AddPasskey onClose={close} />}
        </OpenButton>
      }
    >
      {passkeys.length === 0 ? (
        <p className="text-sm text-muted">No passkeys yet.</p>
      ) : (
        <Card className="divide-y">
          {passkeys.map((passkey) => (
            <div key={passkey.id} className="flex items-center gap-3 px-4 py-2.5 text-sm">
              <KeyRound size={16} aria-hidden="true" className="shrink-0 text-muted" />
              <div className="min-w-0 flex-1">
                <div className="font-medium break-words">{nameOf(passkey)}</div>
                {passkey.createdAt && (
                  <div className="text-xs text-muted">
                    added <Time at={passkey.createdAt} />
                  </div>
                )}
              </div>
              <AskButton
                label="Remove"
                size="small"
                aria-label={`Remove ${nameOf(passkey)}`}
                does={remove}
                to={{ id: passkey.id }}
                title={`Remove ${nameOf(passkey)}?`}
                action="Remove"
              >
                You won’t be able to sign in with it anymore. Delete it from your device as well.
              </AskButton>
            </div>
          ))}
        </Card>
      )}
    </Section>
  )
}

const nameOf = (passkey: Passkey) => passkey.name || 'Unnamed passkey'

function AddPasskey({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const add = useMutation<unknown, Error, string>({
    mutationFn: register,
    onSuccess: () => {
      say('Passkey added')
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['', 'account'] }),
  })
  return (
    <Dialog onClose={onClose} title="Add passkey">
      <Form onSend={(given) => add.mutate(given('name').trim())}>
        <TextField
          label="Name"
          hint="The device or key it’s on, such as Work laptop."
          name="name"
          required
          maxLength={maxNameLength}
          pattern=".*\S.*"
          autoComplete="off"
        />
        <Refused error={failureOf(add.error)} />
        <DialogEnd action="Continue" busy={add.isPending} onClose={onClose} />
      </Form>
    </Dialog>
  )
}

async function register(name: string): Promise<void> {
  const { startRegistration } = await import('@simplewebauthn/browser')
  const options = await provenIfAsked(() =>
    get<PublicKeyCredentialCreationOptionsJSON>('/api/auth/passkey/generate-register-options'),
  )
  const response = await startRegistration({ optionsJSON: options })
  await provenIfAsked(() => post('/api/auth/passkey/verify-registration', { response, name }))
}

function failureOf(error: Error | null): Failure | null {
  if (!error || error instanceof Failure) return error
  const message =
    error.name === 'InvalidStateError'
      ? 'You already have a passkey on this device.'
      : wasPutAway(error)
        ? 'No passkey was added. It was cancelled or timed out.'
        : 'Your browser couldn’t create a passkey.'
  return new Failure(0, 'passkey', message, null)
}
