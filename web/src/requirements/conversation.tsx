import type { Reply } from '@signalbox/contract/app/conversations.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { useRead } from '../api/queries.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Form } from '../ui/form.tsx'
import { LeaveGuard } from '../ui/leave-guard.tsx'
import { Card, Loaded, Section } from '../ui/page.tsx'
import { LongTextField } from '../ui/text-field.tsx'
import { Time } from '../ui/time.tsx'

/** What people say about a requirement, here and in its chat thread. */
export function Conversation({ slug }: { slug: string }) {
  const conversation = useRead('conversations.read', { slug })
  return (
    <Section
      title="Conversation"
      hint="Answer questions by their number (“1: …”), answer a decision (“dec-k3x9 approve”), or stop or retry a run (“stop run-7k2q”). You confirm before a decision or a run changes."
    >
      <Loaded of={conversation} lines={2}>
        {({ data }) =>
          data.length > 0 && (
            <ul className="mb-3 flex flex-col gap-3" aria-label="Replies">
              {data.map((reply) => (
                <li key={reply.id}>
                  <Said reply={reply} />
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <ReplyBox slug={slug} />
    </Section>
  )
}

const channels: Record<Reply['channel'], string> = {
  app: 'in the app',
  slack: 'in Slack',
  mcp: 'through MCP',
  api: 'through the API',
}

function Said({ reply }: { reply: Reply }) {
  const { id, author, channel, text, response, mayConfirm, outcome, outcomeText, asks, at } = reply
  const confirm = useAction('conversations.confirm', {
    alsoStale: ['decisions', 'runs', 'requirements'],
    said: (settled) => settled.outcome === 'done' && 'Done',
  })
  const dismiss = useAction('conversations.dismiss')
  const isBusy = confirm.isPending || dismiss.isPending
  return (
    <Card className="p-3 text-sm">
      <p className="text-muted">
        <span className="font-medium text-text">{author}</span> {channels[channel]} <Time at={at} />
      </p>
      <p dir="auto" className="mt-1 break-words whitespace-pre-wrap">
        {text}
      </p>
      {response && (
        <p className="mt-2 border-l-2 pl-3 break-words whitespace-pre-wrap text-muted">{response}</p>
      )}
      {outcomeText && (
        <p role="status" className={`mt-2 break-words ${outcome === 'refused' ? 'text-danger' : ''}`}>
          {outcomeText}
        </p>
      )}
      {mayConfirm && (
        <div className="mt-3 flex flex-wrap gap-2">
          <Button size="small" look="primary" busy={isBusy} onClick={() => confirm.press({ reply: id })}>
            Confirm
          </Button>
          <Button size="small" busy={isBusy} onClick={() => dismiss.press({ reply: id })}>
            Cancel
          </Button>
        </div>
      )}
      {asks && !mayConfirm && !outcome && <p className="mt-2 text-muted">Only {author} can confirm this.</p>}
    </Card>
  )
}

function ReplyBox({ slug }: { slug: string }) {
  const [text, setText] = useState('')
  const reply = useAction('conversations.reply', {
    alsoStale: ['requirements', 'stories'],
    next: () => setText(''),
  })
  return (
    <Form className="flex flex-col gap-2" onSend={() => text.trim() && reply.press({ slug, text })}>
      <LongTextField label="Reply" rows={2} maxLength={maxNoteLength} value={text} onChange={setText} />
      <LeaveGuard when={text.trim() !== '' && !reply.isPending} what="Your reply" />
      <div>
        <Button type="submit" busy={reply.isPending} disabled={text.trim() === ''}>
          Reply
        </Button>
      </div>
    </Form>
  )
}
