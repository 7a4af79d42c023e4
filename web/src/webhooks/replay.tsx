import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useWrite } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { ChoiceField } from '../ui/choice.tsx'
import { Dialog, DialogEnd } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { Refused } from '../ui/refused.tsx'
import { say } from '../ui/toast.tsx'
import { onlyAdmins } from './words.ts'

const hours = {
  '1': 'The last hour',
  '24': 'The last day',
  '168': 'The last 7 days',
  '720': 'The last 30 days',
}

/** Sends again what has failed since a time. */
export function Replay({ endpoint: { id, state } }: { endpoint: WebhookRow }) {
  const may = useMay('admin')
  const [isOpen, setOpen] = useState(false)
  const replay = useWrite('webhooks.replay')
  return (
    <>
      <Button
        size="small"
        icon={<History size={13} />}
        forbidden={may ? state !== 'active' && 'Resume the endpoint first' : onlyAdmins}
        onClick={() => setOpen(true)}
      >
        Replay failed
      </Button>
      <Dialog
        open={isOpen}
        onClose={() => setOpen(false)}
        title="Replay failed messages"
        description="Messages that failed, or are waiting for a retry, are sent again with the same ID."
      >
        <Form
          onSend={(given) =>
            replay.mutate(
              { webhook: id, since: new Date(Date.now() - Number(given('hours')) * 3_600_000).toISOString() },
              {
                onSuccess: ({ count }) => {
                  setOpen(false)
                  say(
                    count === 0
                      ? 'No failed messages'
                      : `${count} ${count === 1 ? 'message' : 'messages'} queued`,
                  )
                },
              },
            )
          }
        >
          <ChoiceField label="Since" name="hours" defaultValue="24" of={hours} />
          <Refused error={replay.error} />
          <DialogEnd action="Replay" busy={replay.isPending} onClose={() => setOpen(false)} />
        </Form>
      </Dialog>
    </>
  )
}
