import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { History } from 'lucide-react'
import { serverNow } from '../api/clock.ts'
import { useForbidden } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { ChoiceField } from '../ui/choice.tsx'
import { OpenButton } from '../ui/dialog.tsx'
import { FormDialog } from '../ui/form-dialog.tsx'

const hours = {
  '1': 'The last hour',
  '24': 'The last day',
  '168': 'The last 7 days',
  '720': 'The last 30 days',
}

/** Sends again what has failed since a time. */
export function Replay({ endpoint: { id, state } }: { endpoint: WebhookRow }) {
  const forbidden = useForbidden('manage webhooks')
  return (
    <OpenButton
      label="Replay failed"
      size="small"
      icon={<History size={13} />}
      forbidden={forbidden || (state !== 'active' && 'Resume the endpoint first')}
    >
      {(close) => <ReplayDialog webhook={id} onClose={close} />}
    </OpenButton>
  )
}

function ReplayDialog({ webhook, onClose }: { webhook: string; onClose: () => void }) {
  const replay = useAction('webhooks.replay', {
    said: ({ count }) =>
      count === 0 ? 'No failed messages' : `${count} ${count === 1 ? 'message' : 'messages'} queued`,
    next: onClose,
  })
  const since = (ago: string) => new Date(serverNow() - Number(ago) * 3_600_000).toISOString()
  return (
    <FormDialog
      onClose={onClose}
      title="Replay failed messages"
      description="Messages that failed, or are waiting for a retry, are sent again with the same ID."
      of={replay}
      action="Replay"
      onSend={(given) => replay.send({ webhook, since: since(given('hours')) })}
    >
      <ChoiceField label="Since" name="hours" defaultValue="24" of={hours} />
    </FormDialog>
  )
}
