import type { Account } from '@signalbox/contract/app/account.ts'
import type { BackupCodes, TwoFactorSecret } from '@signalbox/contract/app/sign-in.ts'
import { ShieldCheck, ShieldOff } from 'lucide-react'
import { useState } from 'react'
import type { Failure } from '../api/client.ts'
import { PasswordField } from '../sign-in/password-field.tsx'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Section } from '../ui/page.tsx'
import { useSignInChange } from './change.ts'
import { Refused } from './sign-in-again.tsx'
import { Codes, TurnOn } from './turn-on.tsx'

type Doing = 'turn on' | 'turn off' | 'new codes'
const titles: Record<Doing, string> = {
  'turn on': 'Turn on two-factor authentication',
  'turn off': 'Turn off two-factor authentication',
  'new codes': 'New backup codes',
}

/** A code from an authenticator app after the password. */
export function TwoFactor({ account }: { account: Account }) {
  const [doing, setDoing] = useState<Doing | null>(null)
  const close = () => setDoing(null)
  const forbidden = !account.hasPassword && 'You need a password first'
  return (
    <Section
      title="Two-factor authentication"
      hint="After your password, enter a six-digit code from an authenticator app."
      aside={
        account.twoFactor ? (
          <div className="flex flex-wrap gap-2">
            <Button onClick={() => setDoing('new codes')}>New backup codes</Button>
            <Button onClick={() => setDoing('turn off')}>Turn off</Button>
          </div>
        ) : (
          <Button forbidden={forbidden} onClick={() => setDoing('turn on')}>
            Turn on
          </Button>
        )
      }
    >
      {account.twoFactor ? (
        <Badge tone="ok" icon={ShieldCheck} word="On" />
      ) : (
        <Badge icon={ShieldOff} word="Off" />
      )}
      {doing && (
        <Dialog onClose={close} title={titles[doing]}>
          {doing === 'turn on' && <Begin onClose={close} />}
          {doing === 'turn off' && <TurnOff onClose={close} />}
          {doing === 'new codes' && <NewCodes onClose={close} />}
        </Dialog>
      )}
    </Section>
  )
}

/** The secret of an app that is not confirmed yet lives in this component alone. */
function Begin({ onClose }: { onClose: () => void }) {
  const enable = useSignInChange<{ password: string }, TwoFactorSecret>('two-factor/enable')
  return enable.data ? (
    <TurnOn secret={enable.data} onClose={onClose} />
  ) : (
    <WithPassword change={enable} action="Continue" onClose={onClose} />
  )
}

function TurnOff({ onClose }: { onClose: () => void }) {
  const disable = useSignInChange<{ password: string }>('two-factor/disable', {
    said: 'Two-factor authentication is off',
    next: onClose,
  })
  return <WithPassword change={disable} action="Turn off" onClose={onClose} />
}

function NewCodes({ onClose }: { onClose: () => void }) {
  const make = useSignInChange<{ password: string }, BackupCodes>('two-factor/generate-backup-codes')
  return make.data ? (
    <Codes codes={make.data.backupCodes} onClose={onClose} />
  ) : (
    <WithPassword change={make} action="Create new codes" onClose={onClose} />
  )
}

interface WithPasswordProps {
  change: { error: Failure | null; isPending: boolean; send: (input: { password: string }) => void }
  action: string
  onClose: () => void
}

const WithPassword = ({ change, action, onClose }: WithPasswordProps) => (
  <Form onSend={(given) => change.send({ password: given('password') })}>
    <PasswordField label="Your password" name="password" />
    <Refused error={change.error} />
    <DialogEnd action={action} busy={change.isPending} onClose={onClose} />
  </Form>
)
