import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { secretLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { serverNow } from '../api/clock.ts'
import { useForbidden } from '../api/me.ts'
import { useUnkept } from '../api/unkept.ts'
import { useAction } from '../ui/action.ts'
import { Form, FormEnd } from '../ui/form.tsx'
import { RotatingSecret } from '../ui/rotating-secret.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { say } from '../ui/toast.tsx'
import type { Kind } from './kinds.ts'

interface PasteProps {
  source: string
  label: string
  onDone: () => void
}

/** Gives a source the secret that its sender has made. */
export function PasteSecret({ source, label, onDone }: PasteProps) {
  const forbidden = useForbidden('manage sources')
  const [secret, setSecret] = useState('')
  const rotate = useUnkept('sources.rotate')
  return (
    <Form
      className="flex flex-col gap-3"
      onSend={() => {
        void rotate.send({ source, secret }, () => {
          setSecret('')
          say('Secret saved')
          onDone()
        })
      }}
    >
      <SecretField
        label={label}
        hint={`${secretLength.least} to ${secretLength.most} characters, no spaces. Stored encrypted. You won’t see it again.`}
        required
        value={secret}
        onChange={setSecret}
      />
      <FormEnd look="plain" of={rotate} forbidden={forbidden} disabled={!forbidden && secret.length < 16}>
        Save
      </FormEnd>
    </Form>
  )
}

/** What a source proves its sender with. */
export function Secret({ source, kind }: { source: SourceRow; kind: Kind }) {
  const forbidden = useForbidden('manage sources')
  const { ownSecret, name } = kind
  const rotate = useUnkept('sources.rotate')
  const end = useAction('sources.endFormerSecret', { said: 'Old secret ended' })
  const { id, formerSecretUntil: until } = source
  return (
    <RotatingSecret
      hidden="••••••••••••••••"
      forbidden={forbidden}
      formerUntil={until && Date.parse(until) > serverNow() ? until : null}
      words={{
        former: 'The old secret still works',
        warning: 'still works',
        rotated: 'works',
        description:
          'The current secret keeps working for 24 hours, so you don’t lose alerts while you switch.',
        ending: 'Anything that still uses it is refused immediately, and most senders don’t retry.',
      }}
      rotate={{
        error: rotate.error,
        isPending: rotate.isPending,
        send: (onMade) =>
          void rotate.send({ source: id }, ({ secret, formerSecretUntil }) =>
            onMade({ secret, until: formerSecretUntil }),
          ),
      }}
      end={{ ...end, press: (_, close) => end.press({ source: id }, close) }}
      pasted={
        ownSecret
          ? {
              title: `Replace ${ownSecret.toLowerCase()}`,
              form: (close) => <PasteSecret source={id} label={`${ownSecret} from ${name}`} onDone={close} />,
            }
          : undefined
      }
    />
  )
}
