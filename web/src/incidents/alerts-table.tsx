import type { AlertRow } from '@signalbox/contract/app/incidents.ts'
import { FlaskConical } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { AlertStatus, SeverityBadge } from '../words/incidents.tsx'

/** Alerts with what became of them. `of` leaves out what all of them share. */
export function AlertsTable({
  alerts,
  of,
}: {
  alerts: readonly AlertRow[]
  of: 'incident' | 'service' | 'source'
}) {
  const columns: Column<AlertRow>[] = [
    {
      title: 'Alert',
      className: 'md:w-full md:min-w-48',
      cell: ({ title, environment, cuts }) => (
        <span className="wrap-anywhere">
          <span className="font-medium">{title}</span>
          {environment && <span className="text-muted"> in {environment}</span>}
          {cuts.length > 0 && <span className="block text-xs text-muted">{cuts.join(' ')}</span>}
        </span>
      ),
    },
    { title: 'Severity', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    {
      title: 'Status',
      cell: ({ status, isTest }) =>
        isTest ? <Badge tone="info" icon={FlaskConical} word="Test" /> : <AlertStatus status={status} />,
    },
    {
      title: of === 'incident' ? 'Source' : 'Outcome',
      className: of === 'incident' ? 'md:min-w-40' : 'md:min-w-56',
      cell: (alert) =>
        of === 'incident' ? (
          <span className="wrap-anywhere">{alert.source.name}</span>
        ) : (
          <Fate alert={alert} />
        ),
    },
    ...(of === 'source'
      ? [
          {
            title: 'Service',
            className: 'md:min-w-36',
            cell: ({ service }: AlertRow) =>
              service === null ? (
                <span className="text-muted">None</span>
              ) : (
                <span className="wrap-anywhere">{service}</span>
              ),
          },
        ]
      : []),
    {
      title: 'Received',
      right: true,
      cell: ({ count }) => (
        <span className="whitespace-nowrap">{count === 1 ? 'once' : `${count} times`}</span>
      ),
    },
    { title: 'Last seen', cell: ({ lastAt }) => <Time at={lastAt} /> },
  ]
  return <Table caption="Alerts" columns={columns} rows={alerts} keyOf={({ id }) => id} />
}

function Fate({ alert: { incident, reason } }: { alert: AlertRow }) {
  if (incident)
    return (
      <KeyLink
        to="incident"
        of={incident}
        className="inline-flex min-h-7 items-center text-accent hover:underline"
      >
        In {incident}
      </KeyLink>
    )
  return <span className="wrap-anywhere text-muted">{reason ?? 'Processing'}</span>
}
