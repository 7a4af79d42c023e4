import type { AlertRow } from '@signalbox/contract/app/incidents.ts'
import { useState } from 'react'
import { dateOf } from '../browser/formats.ts'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { AlertStatus, SeverityBadge } from '../words/incidents.tsx'

interface Props {
  alerts: readonly AlertRow[]
  of: 'incident' | 'service' | 'source'
}

/** Alerts with their outcomes. `of` leaves out what all of them share. */
export function AlertsTable({ alerts, of }: Props) {
  const columns = of === 'incident' ? ofIncident : received(of)
  return <Table caption="Alerts" columns={columns} rows={alerts} keyOf={({ id }) => id} />
}

const severity: Column<AlertRow> = {
  title: 'Severity',
  cell: ({ severity }) => <SeverityBadge severity={severity} />,
}

const state: Column<AlertRow> = {
  title: 'Status',
  cell: ({ status, isTest }) => <AlertStatus {...{ status, isTest }} />,
}

const Name = ({ alert: { title, environment, cuts } }: { alert: AlertRow }) => (
  <>
    <span dir="auto" className="font-medium">
      <Coded text={title} />
    </span>
    {environment && <span className="text-muted"> in {environment}</span>}
    {cuts.length > 0 && <span className="block text-xs text-muted">{cuts.join(' ')}</span>}
  </>
)

const times = (count: number) => (count === 1 ? 'once' : `${count} times`)

/** What the sender says has room; the rest is in a line below the title. */
const ofIncident: Column<AlertRow>[] = [
  {
    title: 'Alert',
    className: 'md:w-full md:align-top',
    cell: (alert) => (
      <div className="font-normal wrap-anywhere">
        <Name alert={alert} />
        <p className="text-xs text-muted">
          {alert.source.name}, received {times(alert.count)}, last seen <Time at={alert.lastAt} plain />
        </p>
        <Told alert={alert} />
      </div>
    ),
  },
  { ...severity, className: 'md:align-top' },
  { ...state, className: 'md:align-top' },
]

const received = (of: 'service' | 'source'): Column<AlertRow>[] => [
  {
    title: 'Alert',
    className: 'md:w-full md:min-w-48',
    cell: (alert) => (
      <span className="wrap-anywhere">
        <Name alert={alert} />
      </span>
    ),
  },
  severity,
  state,
  {
    title: 'Outcome',
    className: 'md:min-w-56',
    cell: (alert) => <Fate alert={alert} />,
  },
  ...(of === 'source'
    ? [
        {
          title: 'Service',
          className: 'md:min-w-36',
          cell: ({ service }: AlertRow) =>
            service === null ? null : <span className="wrap-anywhere">{service}</span>,
        },
      ]
    : []),
  {
    title: 'Received',
    right: true,
    cell: ({ count }) => <span className="whitespace-nowrap">{times(count)}</span>,
  },
  { title: 'Last seen', cell: ({ lastAt }) => <Time at={lastAt} /> },
]

/** What the sender says of it, and for when. */
const Told = ({ alert: { startedAt, endedAt, description } }: { alert: AlertRow }) => (
  <>
    {(startedAt || endedAt) && (
      <p className="text-xs text-muted">
        {startedAt && <>Started {dateOf(startedAt)}</>}
        {startedAt && endedAt && ', ended '}
        {!startedAt && endedAt && 'Ended '}
        {endedAt && dateOf(endedAt)}
      </p>
    )}
    {description && <Description text={description} />}
  </>
)

const isLong = (text: string) => text.length > 400 || text.split('\n').length > 6

/** Text from anywhere, so it stands as text. A long one, as a stack trace, shows its beginning. */
function Description({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  const shortened = isLong(text) && !whole
  return (
    <>
      <p dir="auto" className={`mt-1 whitespace-pre-wrap text-muted ${shortened ? 'line-clamp-5' : ''}`}>
        <Coded text={text} />
      </p>
      {isLong(text) && (
        <button
          type="button"
          aria-expanded={whole}
          onClick={() => setWhole(!whole)}
          className="min-h-7 text-xs text-accent hover:underline"
        >
          {whole ? 'Show less' : 'Show more'}
        </button>
      )}
    </>
  )
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
