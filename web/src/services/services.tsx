import type { ServiceActivity, ServiceRow } from '@signalbox/contract/app/services.ts'
import { useSearch } from '@tanstack/react-router'
import { CheckCircle2, Plus, Server } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { OpenButton } from '../ui/dialog.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { Time } from '../ui/time.tsx'
import { SeverityBadge } from '../words/incidents.tsx'
import { ObserveOnly } from '../words/services.tsx'
import { NewService } from './new-service.tsx'
import { NotifiedSummary } from './notified.tsx'
import { OnCallNow } from './on-call-now.tsx'

export function Services() {
  const search = useSearch({ from: '/$ws/services' })
  const set = useSetFilter()
  const services = useRead('services.list', search.team ? { team: search.team } : {}, { keep: true })
  const activity = useRead('services.activity', {})
  const rows = services.data?.data.map((service) => ({
    ...service,
    activity: activity.data?.data.find((one) => one.service === service.id),
  }))
  const teams = useRead('teams.list', {})
  const forbidden = useForbidden('manage services')
  const create = (
    <OpenButton label="New service" look="primary" icon={<Plus size={14} />} forbidden={forbidden}>
      {(close) => <NewService onClose={close} />}
    </OpenButton>
  )
  return (
    <Page title="Services" aside={services.data?.data.length ? create : undefined}>
      {(teams.data?.length ?? 0) > 1 && (
        <Filters of="services" value={search} set={set}>
          <FilterBy name="team" of={teams.data?.map(({ slug, name }) => [slug, name])} />
        </Filters>
      )}
      <Listed
        of={{ ...services, data: rows }}
        empty={
          <Empty icon={Server} title={search.team ? 'No results' : 'No services yet'} action={create}>
            A service is something you run that can raise alerts. Create one, then add the sources its alerts
            come from.
          </Empty>
        }
        caption="Services"
        columns={columns}
        keyOf={({ id }) => id}
      />
    </Page>
  )
}

type Row = ServiceRow & { activity: ServiceActivity | undefined }

const columns: Column<Row>[] = [
  {
    title: 'Service',
    cell: ({ id, name, team, settings }) => (
      <span className="flex flex-wrap items-center gap-x-2">
        <Link
          to="/$ws/services/$service"
          params={{ service: id }}
          className="inline-block py-1 font-medium wrap-anywhere hover:underline"
        >
          {name}
        </Link>
        {settings.observeOnly && <ObserveOnly />}
        <span className="basis-full text-xs font-normal text-muted">
          <TeamName of={team} />
        </span>
      </span>
    ),
  },
  { title: 'Status', cell: ({ openIncident }) => <State openIncident={openIncident} /> },
  {
    title: 'Last incident',
    className: 'md:whitespace-nowrap',
    cell: ({ activity, openIncident }) =>
      !activity ? (
        <Unread />
      ) : activity.lastIncident ? (
        <LastIncident of={activity.lastIncident} assignee={openIncident?.assignee} />
      ) : null,
  },
  {
    title: 'Alerts, 7 days',
    right: true,
    cell: ({ activity }) => activity?.alertsLastWeek ?? <Unread />,
  },
  {
    title: 'Notified',
    cell: ({ activity }) => (activity ? <NotifiedSummary activity={activity} /> : <Unread />),
  },
  {
    title: 'On call now',
    className: 'md:whitespace-nowrap',
    cell: (service) => <OnCallNow service={service} />,
  },
  {
    title: 'Sources',
    right: true,
    wideOnly: true,
    cell: ({ sources }) => (sources === 0 ? <span className="text-danger">None</span> : sources),
  },
]

/** Of the width of what comes, so that nothing jumps. */
const Unread = () => <span className="text-muted">…</span>

const State = ({ openIncident }: Pick<ServiceRow, 'openIncident'>) =>
  openIncident ? (
    <SeverityBadge severity={openIncident.severity} />
  ) : (
    <Badge tone="ok" icon={CheckCircle2} word="OK" />
  )

function LastIncident({
  of: { key, openedAt, resolvedAt },
  assignee,
}: {
  of: NonNullable<ServiceActivity['lastIncident']>
  assignee: string | null | undefined
}) {
  return (
    <span>
      <KeyLink
        to="incident"
        of={key}
        className="inline-flex min-h-7 items-center font-mono text-xs text-accent hover:underline"
      />{' '}
      <span className="text-xs text-muted">
        {resolvedAt ? 'resolved ' : 'opened '}
        <Time at={resolvedAt ?? openedAt} />
        {assignee && <span className="block">taken by {assignee}</span>}
      </span>
    </span>
  )
}
