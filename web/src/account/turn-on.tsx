import type { TwoFactorSecret } from '@signalbox/contract/app/sign-in.ts'
import { type ReactNode, useRef, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { Copyable, CopyButton } from '../ui/copy.tsx'
import { DialogEnd } from '../ui/dialog.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { TextField } from '../ui/text-field.tsx'
import { useSignInChange } from './change.ts'
import { QrImage } from './qr-image.tsx'
import { Refused } from './sign-in-again.tsx'

/** Adds the secret to an app, and proves that the app has it. */
export function TurnOn({ secret, onClose }: { secret: TwoFactorSecret; onClose: () => void }) {
  const verify = useSignInChange<{ code: string }>('two-factor/verify-totp')
  const field = useRef<HTMLInputElement>(null)
  const [confirmed, setConfirmed] = useState(false)
  if (confirmed)
    return (
      <Codes codes={secret.backupCodes} onClose={onClose}>
        Two-factor authentication is on. Save these backup codes in case you lose your device.
      </Codes>
    )
  const submit = (given: Given) => {
    const code = given('code').replaceAll(/\s/g, '')
    verify.mutate(
      { code },
      {
        onSuccess: () => setConfirmed(true),
        onError: () => field.current?.select(),
      },
    )
  }
  const key = URL.canParse(secret.totpURI) ? new URL(secret.totpURI).searchParams.get('secret') : null
  return (
    <Form onSend={submit} className="flex flex-col gap-4 text-sm">
      <p>
        Scan this with your authenticator app. If the app is on this device,{' '}
        <a href={secret.totpURI} className="text-accent underline">
          open this link
        </a>{' '}
        or enter the key manually.
      </p>
      <QrImage text={secret.totpURI} label="QR code" />
      <Copyable
        text={key ?? secret.totpURI}
        shown={(key ?? secret.totpURI).replaceAll(/(.{4})(?=.)/g, '$1 ')}
        label="Copy key"
      />
      <TextField
        ref={field}
        label="Code from the app"
        name="code"
        required
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={12}
        className="font-mono tracking-widest"
      />
      <Refused error={verify.error} />
      <DialogEnd action="Turn on" busy={verify.isPending} onClose={onClose} />
    </Form>
  )
}

interface Props {
  codes: string[]
  onClose: () => void
  /** What has happened, for a start. */
  children?: ReactNode
}

/** For the day the app is lost. Shown this once. */
export function Codes({ codes, onClose, children }: Props) {
  return (
    <div className="flex flex-col gap-4 text-sm">
      <p role="status">
        {children} Each code works once in place of the app. You won’t see them again, and older codes no
        longer work.
      </p>
      <ul className="grid grid-cols-2 gap-x-4 gap-y-1 rounded-md border bg-bg p-3 font-mono text-xs">
        {codes.map((code) => (
          <li key={code} className="break-all">
            {code}
          </li>
        ))}
      </ul>
      <div className="flex justify-end gap-2">
        <CopyButton text={codes.join('\n')} label="Copy codes" withWords />
        <Button look="primary" onClick={onClose}>
          I’ve saved them
        </Button>
      </div>
    </div>
  )
}
