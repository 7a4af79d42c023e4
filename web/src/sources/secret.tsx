import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { secretLength } from '@signalbox/contract/limits.ts'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Confirm, Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Refused } from '../ui/refused.tsx'
import { dateOf } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import type { Kind } from './kinds.ts'
import { SecretField } from './secret-field.tsx'

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

/** The secret, hidden, and its rotation. What was made is held here until the dialog closes. */
export function Secret({ source, kind }: { source: SourceRow; kind: Kind }) {
  const may = useMay('admin')
  const { ownSecret, name } = kind
  const [isOpen, setOpen] = useState(false)
  const [shown, setShown] = useState<{ secret: string; until: string } | null>(null)
  const rotate = useUnkept('sources.rotate')
  const close = () => {
    setOpen(false)
    setShown(null)
  }
  const overlap = source.formerSecretUntil && Date.parse(source.formerSecretUntil) > Date.now()
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <code className="rounded-md border bg-bg px-3 py-2.5 font-mono text-xs">
          <span aria-hidden="true">••••••••••••••••</span>
          <span className="sr-only">Hidden</span>
        </code>
        <Button
          size="small"
          icon={<RotateCw size={13} />}
          forbidden={!may && 'Only owners and admins can manage sources'}
          onClick={() => setOpen(true)}
        >
          {ownSecret ? 'Replace' : 'Rotate'}
        </Button>
      </div>
      {overlap && (
        <div className="flex flex-wrap items-center gap-3">
          <p className="text-xs text-muted">
            The old secret still works until {dateOf(source.formerSecretUntil!)}.
          </p>
          <EndFormerSecret source={source.id} />
        </div>
      )}
      <Dialog
        open={isOpen}
        onClose={close}
        title={ownSecret ? `Replace ${ownSecret.toLowerCase()}` : 'Rotate secret'}
        description="The current secret keeps working for 24 hours, so you don’t lose alerts while you switch."
      >
        {overlap && !shown && (
          <p className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
            An older secret still works until {dateOf(source.formerSecretUntil!)}. If you continue, it stops
            working immediately.
          </p>
        )}
        {ownSecret ? (
          <PasteSecret source={source.id} label={`${ownSecret} from ${name}`} onDone={close} />
        ) : shown ? (
          <div className="flex flex-col gap-3">
            <p role="status" className="text-sm">
              Copy the new secret now. You won’t see it again. The old one works until {dateOf(shown.until)}.
            </p>
            <Copyable text={shown.secret} label="Copy secret" />
            <div className="flex justify-end">
              <Button onClick={close}>I have copied it</Button>
            </div>
          </div>
        ) : (
          <>
            <Refused error={rotate.error} />
            <DialogEnd
              className="mt-3"
              action="Create new secret"
              busy={rotate.isPending}
              onClose={close}
              onClick={() =>
                void rotate.send({ source: source.id }, ({ secret, formerSecretUntil }) =>
                  setShown({ secret, until: formerSecretUntil }),
                )
              }
            />
          </>
        )}
      </Dialog>
    </div>
  )
}

/** For a secret that leaked: whatever still sends with it is refused from then on. */
function EndFormerSecret({ source }: { source: string }) {
  const may = useMay('admin')
  const [isAsking, setAsking] = useState(false)
  const end = useWrite('sources.endFormerSecret')
  return (
    <>
      <Button
        size="small"
        forbidden={!may && 'Only owners and admins can manage sources'}
        onClick={() => setAsking(true)}
      >
        End it now
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title="End the old secret?"
        action="End it now"
        busy={end.isPending}
        onConfirm={() =>
          end.mutate(
            { source },
            {
              onSuccess: () => {
                setAsking(false)
                say('Old secret ended')
              },
              onError: complain,
            },
          )
        }
      >
        Anything that still uses it is refused immediately, and most senders don’t retry.
      </Confirm>
    </>
  )
}
