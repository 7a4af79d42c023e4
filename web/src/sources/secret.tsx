import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { secretLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { Refused } from '../ui/refused.tsx'
import { RotatingSecret } from '../ui/rotating-secret.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { say } from '../ui/toast.tsx'
import type { Kind } from './kinds.ts'

/** Gives a source the secret that its sender has made. */
export function PasteSecret({
  source,
  label,
  onDone,
}: {
  source: string
  label: string
  onDone: () => void
}) {
  const may = useMay('admin')
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
      <Refused error={rotate.error} />
      <div>
        <Button
          type="submit"
          busy={rotate.isPending}
          forbidden={!may && 'Only owners and admins can manage sources'}
          disabled={may && secret.length < 16}
        >
          Save
        </Button>
      </div>
    </Form>
  )
}

/** What a source proves its sender with. */
export function Secret({ source, kind }: { source: SourceRow; kind: Kind }) {
  const may = useMay('admin')
  const { ownSecret, name } = kind
  const rotate = useUnkept('sources.rotate')
  const end = useWrite('sources.endFormerSecret')
  const { id, formerSecretUntil: until } = source
  return (
    <RotatingSecret
      hidden="••••••••••••••••"
      forbidden={!may && 'Only owners and admins can manage sources'}
      formerUntil={until && Date.parse(until) > Date.now() ? until : null}
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
      end={{ isPending: end.isPending, send: (then) => end.mutate({ source: id }, then) }}
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
