import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { type Failure, post } from '../api/client.ts'
import { Button } from '../ui/button.tsx'
import { Form, type Given } from '../ui/form.tsx'
import { Wrong } from '../ui/refused.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Entry, entryLink } from './entry.tsx'

/** The password was right; the authenticator app, or one of the codes kept for the day it is lost, says the rest. */
export function SecondFactor({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [backup, setBackup] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const verify = useMutation<unknown, Failure, string>({
    mutationFn: (code) =>
      post(`/api/auth/two-factor/${backup ? 'verify-backup-code' : 'verify-totp'}`, { code }),
    onSuccess: onDone,
    onError: () => field.current?.select(),
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the other kind of code starts over
  useEffect(() => field.current?.focus(), [backup])
  const submit = (given: Given) => {
    const code = given('code').trim()
    verify.mutate(backup ? code : code.replaceAll(/\s/g, ''))
  }
  return (
    <Entry
      title="Two-factor authentication"
      lead={backup ? 'Each backup code works once.' : 'Enter the code from your authenticator app.'}
      below={
        <button type="button" className={entryLink} onClick={onBack}>
          Start over
        </button>
      }
    >
      <Form onSend={submit}>
        <TextField
          key={String(backup)}
          ref={field}
          label={backup ? 'Backup code' : 'Six-digit code'}
          name="code"
          required
          autoComplete={backup ? 'off' : 'one-time-code'}
          inputMode={backup ? 'text' : 'numeric'}
          spellCheck={false}
          maxLength={40}
          className="h-10! font-mono text-base! tracking-widest"
        />
        <Wrong>{verify.error?.message}</Wrong>
        <Button type="submit" look="primary" size="large" busy={verify.isPending}>
          Continue
        </Button>
        <button
          type="button"
          className={`self-center text-sm ${entryLink}`}
          onClick={() => {
            verify.reset()
            setBackup(!backup)
          }}
        >
          {backup ? 'Use the authenticator app' : 'Use a backup code'}
        </button>
      </Form>
    </Entry>
  )
}
