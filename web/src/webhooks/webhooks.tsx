import type { WebhookRow } from '@signalbox/contract/app/webhooks.ts'
import { webhookEvents } from '@signalbox/contract/webhook-events.ts'
import { Plus, Webhook } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { eventsInWords, lookOf, nameOf } from './words.ts'

/** What an endpoint answers is no news of anyone's: it is looked for. */
const everyMs = 10_000

/** Where events of the workspace are sent. */
export function Webhooks() {
  const forbidden = useForbidden('manage webhooks')
  const endpoints = useRead('webhooks.list', {}, { enabled: !forbidden, every: everyMs })
  const add = (
    <Link to="/$ws/settings/webhooks/new" className={buttonClass('primary')}>
      <Plus size={14} aria-hidden="true" />
      Add endpoint
    </Link>
  )
  return (
    <Page title="Webhooks" aside={endpoints.data?.data.length ? add : undefined}>
      <p className="mb-5 max-w-2xl text-sm text-muted">
        Signalbox sends events to your endpoints as they happen, signed so that you can verify them, and
        retries for three days when an endpoint doesn’t answer.
      </p>
      {!forbidden ? (
        <Listed
          of={endpoints}
          lines={3}
          empty={
            <Empty icon={Webhook} title="No endpoints yet" action={add}>
              Add an endpoint to receive decisions, runs, stories and incidents in your own systems without
              polling the API.
            </Empty>
          }
          caption="Webhook endpoints"
          columns={columns}
          keyOf={({ id }) => id}
        />
      ) : (
        <Empty icon={Webhook} title={forbidden}>
          Ask an owner or admin of this workspace to add an endpoint.
        </Empty>
      )}
    </Page>
  )
}

const columns: Column<WebhookRow>[] = [
  { title: 'Endpoint', className: 'md:w-full', cell: (row) => <Name endpoint={row} /> },
  { title: 'Status', cell: (row) => <Badge {...lookOf(row)} /> },
  {
    title: 'Events',
    cell: ({ events }) => (
      <span className="whitespace-nowrap text-muted">
        {eventsInWords(events, Object.keys(webhookEvents).length)}
      </span>
    ),
  },
  {
    title: 'Last attempt',
    cell: ({ lastAttempt }) =>
      lastAttempt ? <Time at={lastAttempt.at} /> : <span className="text-muted">Never</span>,
  },
]

function Name({ endpoint }: { endpoint: WebhookRow }) {
  return (
    <>
      <Link
        to="/$ws/settings/webhooks/$webhook"
        params={{ webhook: endpoint.id }}
        className="font-medium wrap-anywhere text-accent hover:underline"
      >
        {nameOf(endpoint)}
      </Link>
      {endpoint.description && <p className="text-xs wrap-anywhere text-muted">{endpoint.url}</p>}
    </>
  )
}
