import type { MessageRow, WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { usePages } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { FilterBy, Filters } from '../ui/filters.tsx'
import { Listed } from '../ui/listed.tsx'
import { Empty, Section } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { MessageDialog } from './message.tsx'
import { Replay } from './replay.tsx'
import { messageLook, messageStates } from './words.ts'

const everyMs = 5_000

/** What the endpoint was sent, and is to be sent, newest first. */
export function Messages({ endpoint }: { endpoint: WebhookRow }) {
  const [state, setState] = useState<MessageRow['state'] | ''>('')
  const filter = state === '' ? {} : { state }
  const messages = usePages(
    'webhooks.messages',
    { webhook: endpoint.id, limit: 25, ...filter },
    { every: everyMs },
  )
  // Not in its row, which the next page or a filter may take away.
  const [shown, setShown] = useState<string | null>(null)
  const columns: Column<MessageRow>[] = [
    {
      title: 'Event',
      className: 'md:w-full',
      cell: ({ type, key }) => (
        <>
          <span className="font-mono text-xs font-medium">{type}</span>
          {type !== 'endpoint.test' && <span className="ml-2 text-xs wrap-anywhere text-muted">{key}</span>}
        </>
      ),
    },
    { title: 'Status', cell: (row) => <Badge {...messageLook(row)} /> },
    {
      title: 'Response',
      cell: ({ lastStatus, attempts }) => (
        <span className="tabular-nums text-muted">{lastStatus ?? (attempts > 0 ? 'None' : 'Not yet')}</span>
      ),
    },
    { title: 'Attempts', right: true, cell: ({ attempts }) => attempts },
    {
      title: 'Next attempt',
      cell: ({ nextAttemptAt }) => (nextAttemptAt ? <Time at={nextAttemptAt} /> : null),
    },
    { title: 'Happened', cell: ({ occurredAt }) => <Time at={occurredAt} /> },
    {
      title: 'Details',
      right: true,
      cell: ({ id, type, key }) => (
        <Button size="small" aria-label={`View ${type} ${key}`} onClick={() => setShown(id)}>
          View
        </Button>
      ),
    },
  ]
  return (
    <Section
      title="Messages"
      hint="Kept for 30 days, with every attempt and its response."
      aside={<Replay endpoint={endpoint} />}
    >
      <Filters
        of="messages"
        value={{ status: state }}
        set={({ status }) => setState((status ?? '') as typeof state)}
      >
        <FilterBy name="status" of={messageStates} />
      </Filters>
      <Listed
        of={messages}
        empty={
          <Empty icon={Inbox} title={state ? 'No results' : 'No messages yet'}>
            {state ? 'No message has this status.' : 'Send a test event, or wait for the next event.'}
          </Empty>
        }
        caption="Messages"
        columns={columns}
        keyOf={({ id }) => id}
      />
      {shown && <MessageDialog endpoint={endpoint} message={shown} onClose={() => setShown(null)} />}
    </Section>
  )
}
