import type { DeliveryRow, Refusal, SourceRow } from '@signalbox/contract/app/sources.ts'
import { CheckCircle2, FlaskConical, Inbox, TriangleAlert, XCircle } from 'lucide-react'
import { useState } from 'react'
import { usePages, useRead } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { Listed } from '../ui/listed.tsx'
import { Empty, Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { DeliveryDialog } from './delivery-dialog.tsx'

type Row = { at: string; id: string } & ({ delivery: DeliveryRow } | { refusal: Refusal })

/** What arrived, accepted or refused, newest first. Refusals are counted by hour and reason; bodies are not kept. */
export function Deliveries({ source }: { source: SourceRow }) {
  const deliveries = usePages('sources.deliveries', { source: source.id, limit: 50 })
  const refusals = useRead('sources.refusals', { source: source.id })
  // Not in its row, which later ones may push off the page.
  const [shown, setShown] = useState<string | null>(null)
  const rows = deliveries.data && rowsOf(deliveries.data, refusals.data?.data ?? [], deliveries.hasNextPage)
  return (
    <Section
      title="Recent deliveries"
      hint="Refused requests are counted by hour and reason. For accepted ones, the alerts are stored, not the raw body."
    >
      <Listed
        of={{ ...deliveries, data: rows }}
        empty={
          <Empty icon={Inbox} title="No deliveries yet">
            Send a test alert from here or from your tool. If it’s not listed after a few seconds, it didn’t
            reach this address.
          </Empty>
        }
        caption="Deliveries"
        keyOf={({ id }) => id}
        columns={[
          { title: 'Received', cell: ({ at }) => <Time at={at} /> },
          { title: 'Result', card: 'line', className: 'md:w-full', cell: (row) => <Verdict row={row} /> },
          {
            title: 'Payload',
            cell: (row) =>
              'delivery' in row ? (
                <Button size="small" onClick={() => setShown(row.delivery.id)}>
                  View
                </Button>
              ) : (
                <span className="whitespace-nowrap text-muted">Not stored</span>
              ),
          },
        ]}
      />
      {shown && <DeliveryDialog source={source.id} delivery={shown} onClose={() => setShown(null)} />}
    </Section>
  )
}

/** Refusals older than the last delivery shown come with their page. */
function rowsOf(deliveries: DeliveryRow[], refusals: Refusal[], isMore: boolean): Row[] {
  const oldest = isMore ? (deliveries.at(-1)?.receivedAt ?? '') : ''
  return [
    ...deliveries.map((delivery) => ({ at: delivery.receivedAt, id: delivery.id, delivery })),
    ...refusals
      .filter(({ lastAt }) => lastAt >= oldest)
      .map((refusal) => ({ at: refusal.lastAt, id: `${refusal.hour} ${refusal.reason}`, refusal })),
  ].toSorted((a, b) => b.at.localeCompare(a.at))
}

function Verdict({ row }: { row: Row }) {
  if ('refusal' in row) {
    const { count, reason } = row.refusal
    return (
      <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
        <Badge
          tone="danger"
          icon={XCircle}
          word={count === 1 ? 'Refused' : `Refused ${count} times in this hour`}
        />
        <span className="min-w-0 wrap-anywhere">{reason}</span>
      </span>
    )
  }
  const { alerts, isTest, problem, handshake } = row.delivery
  const said = handshake
    ? handshakes[handshake]
    : `${alerts === 0 ? 'no alerts' : `${alerts} ${alerts === 1 ? 'alert' : 'alerts'}`}`
  return (
    <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
      <Badge tone={problem ? 'warn' : 'ok'} icon={problem ? TriangleAlert : CheckCircle2} word="Accepted" />
      {isTest && <Badge tone="info" icon={FlaskConical} word="Test" />}
      <span>{said}</span>
      {problem && <span className="min-w-0 basis-full wrap-anywhere text-muted">{problem}</span>}
    </span>
  )
}

const handshakes: Record<string, string> = {
  sns_confirmation: 'subscription request',
  sns_unsubscribed: 'subscription ended',
}
