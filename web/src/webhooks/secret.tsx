import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { RotateCw } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { useUnkept } from '../api/unkept.ts'
import { Button } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Confirm, Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Refused } from '../ui/refused.tsx'
import { dateOf } from '../ui/time.tsx'
import { complain, say } from '../ui/toast.tsx'
import { onlyAdmins } from './words.ts'

/** The secret, hidden, and its rotation. What was made is held here until the dialog closes. */
export function Secret({ endpoint }: { endpoint: WebhookRow }) {
  const may = useMay('admin')
  const [isOpen, setOpen] = useState(false)
  const [shown, setShown] = useState<{ secret: string; until: string } | null>(null)
  const rotate = useUnkept('webhooks.rotate')
  const { id, formerSecretUntil } = endpoint
  const close = () => {
    setOpen(false)
    setShown(null)
  }
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <code className="rounded-md border bg-bg px-3 py-2.5 font-mono text-xs">
          <span aria-hidden="true">whsec_••••••••••</span>
          <span className="sr-only">Hidden</span>
        </code>
        <Button
          size="small"
          icon={<RotateCw size={13} />}
          forbidden={!may && onlyAdmins}
          onClick={() => setOpen(true)}
        >
          Rotate
        </Button>
      </div>
      {formerSecretUntil && (
        <div className="flex flex-wrap items-center gap-3">
          <p className="max-w-xs text-xs text-muted">
            Messages are also signed with the old secret until {dateOf(formerSecretUntil)}.
          </p>
          <EndFormerSecret endpoint={id} />
        </div>
      )}
      <Dialog
        open={isOpen}
        onClose={close}
        title="Rotate secret"
        description="For 24 hours, messages are signed with both secrets, so you don’t lose events while you switch."
      >
        {shown ? (
          <div className="flex flex-col gap-3">
            <p role="status" className="text-sm">
              Copy the new secret now. You won’t see it again. The old one is used until {dateOf(shown.until)}
              .
            </p>
            <Copyable text={shown.secret} label="Copy secret" />
            <div className="flex justify-end">
              <Button onClick={close}>I have copied it</Button>
            </div>
          </div>
        ) : (
          <>
            {formerSecretUntil && (
              <p className="mb-3 rounded-md bg-warn-soft px-3 py-2 text-sm text-warn">
                An older secret is still used until {dateOf(formerSecretUntil)}. If you continue, it ends
                immediately.
              </p>
            )}
            <Refused error={rotate.error} />
            <DialogEnd
              className="mt-3"
              action="Create new secret"
              busy={rotate.isPending}
              onClose={close}
              onClick={() =>
                void rotate.send({ webhook: id }, ({ secret, formerSecretUntil: until }) =>
                  setShown({ secret, until }),
                )
              }
            />
          </>
        )}
      </Dialog>
    </div>
  )
}

/** For a secret that leaked: messages are no longer signed with it. */
function EndFormerSecret({ endpoint }: { endpoint: string }) {
  const may = useMay('admin')
  const [isAsking, setAsking] = useState(false)
  const end = useWrite('webhooks.endFormerSecret')
  return (
    <>
      <Button size="small" forbidden={!may && onlyAdmins} onClick={() => setAsking(true)}>
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
            { webhook: endpoint },
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
        A receiver that still checks with the old secret rejects messages immediately. They’re retried.
      </Confirm>
    </>
  )
}
