import type { AttemptRow, MessagePage, WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { Send } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { useAction } from '../ui/action.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Loaded } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { Answer, Text } from './answer.tsx'
import { messageLook } from './words.ts'

const everyMs = 3_000

interface Props {
  endpoint: WebhookRow
  message: string
  onClose: () => void
}

/** A message as it is sent, with every attempt: request and response. */
export function MessageDialog({ endpoint, message: id, onClose }: Props) {
  const message = useRead('webhooks.message', { webhook: endpoint.id, message: id }, { every: everyMs })
  return (
    <Dialog
      wide
      onClose={onClose}
      title={message.data?.type ?? 'Message'}
      description={
        message.data && (
          <>
            {dateOf(message.data.occurredAt)}{' '}
            <code className="font-mono text-xs break-all">{message.data.messageId}</code>
          </>
        )
      }
    >
      <Loaded of={message} lines={5}>
        {(known) => <Content endpoint={endpoint} message={known} />}
      </Loaded>
    </Dialog>
  )
}

function Content({ endpoint, message }: { endpoint: WebhookRow; message: MessagePage }) {
  const payload = JSON.stringify(JSON.parse(message.body), null, 2)
  return (
    <div className="flex flex-col gap-5">
      <div className="flex flex-wrap items-center gap-2">
        <Badge {...messageLook(message)} />
        {message.nextAttemptAt && (
          <span className="text-sm text-muted">
            Next attempt <Time at={message.nextAttemptAt} plain />
          </span>
        )}
        <span className="ml-auto">
          <Resend endpoint={endpoint} message={message} />
        </span>
      </div>
      <section aria-label="Payload" className="flex flex-col gap-2">
        <h3 className="text-sm font-medium">Payload</h3>
        <Text label="Payload as JSON" text={payload} />
        <div>
          <CopyButton text={message.body} label="Copy payload" withWords />
        </div>
      </section>
      <section aria-label="Attempts" className="flex flex-col gap-3">
        <h3 className="text-sm font-medium">Attempts</h3>
        {message.attemptList.length === 0 ? (
          <p className="text-sm text-muted">Not sent yet.</p>
        ) : (
          <ol className="flex flex-col gap-3">
            {message.attemptList.map((attempt) => (
              <li key={attempt.attempt}>
                <Attempt attempt={attempt} message={message} />
              </li>
            ))}
          </ol>
        )}
      </section>
    </div>
  )
}

function Attempt({ attempt, message }: { attempt: AttemptRow; message: MessagePage }) {
  const request = [
    `POST ${attempt.url}`,
    'content-type: application/json',
    `webhook-id: ${message.messageId}`,
    `webhook-timestamp: ${Math.floor(Date.parse(attempt.at) / 1000)}`,
    `webhook-signature: ${attempt.signature}`,
  ].join('\n')
  return (
    <details open={attempt.attempt === message.attempts} className="rounded-lg border p-3">
      <summary className="text-sm leading-7 font-medium">
        Attempt {attempt.attempt}, {dateOf(attempt.at)}
      </summary>
      <div className="mt-2 flex flex-col gap-3">
        <Text label={`Request of attempt ${attempt.attempt}`} text={request} />
        <Answer of={attempt} />
      </div>
    </details>
  )
}

function Resend({ endpoint, message }: { endpoint: WebhookRow; message: MessagePage }) {
  const forbidden = useForbidden('manage webhooks')
  const resend = useAction('webhooks.resend', { said: 'Message queued' })
  return (
    <Button
      size="small"
      icon={<Send size={13} />}
      forbidden={forbidden || (endpoint.state !== 'active' && 'Resume the endpoint first')}
      {...resend.button({ webhook: endpoint.id, message: message.id })}
    >
      Resend
    </Button>
  )
}
