import type { IncidentListed } from '@signalbox/contract/incident.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { useSearch } from '@tanstack/react-router'
import { CheckCircle2, Siren } from 'lucide-react'
import { usePages, useRead } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page, Section } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { SeverityBadge, severityWords } from '../words/incidents.tsx'
import { IncidentActions } from './actions.tsx'
import { lasted } from './lasted.ts'

const titles = { open: 'Open', resolved: 'Resolved' }
type Status = keyof typeof titles

/** Open ones first: they are few, one for each service at most. Resolved ones follow page by page. */
export function Incidents() {
  const search = useSearch({ from: '/$ws/incidents' })
  const isFiltered = Boolean(search.service || search.severity || search.status)
  const filter = {
    ...(search.service ? { service: search.service } : {}),
    ...(search.severity ? { severity: search.severity as Severity } : {}),
  }
  const open = usePages('incidents.list', { status: 'open', ...filter, limit: 50 })
  // Not to be seen before it has its place: it would be pushed down by what comes above it.
  const hasPlace = search.status === 'resolved' || open.data !== undefined || open.error !== null
  return (
    <Page title="Incidents">
      <IncidentFilters />
      {search.status !== 'resolved' && <IncidentList status="open" filter={filter} isFiltered={isFiltered} />}
      {search.status !== 'open' && (
        <div className={hasPlace ? '' : 'invisible'}>
          <IncidentList status="resolved" filter={filter} isFiltered={isFiltered} />
        </div>
      )}
    </Page>
  )
}

function IncidentFilters() {
  const services = useRead('services.list', {})
  return (
    <Filters of="incidents" value={useSearch({ from: '/$ws/incidents' })} set={useSetFilter()}>
      <FilterBy name="status" of={titles} />
      <FilterBy name="service" of={services.data?.data.map(({ id, name }) => [id, name])} />
      <FilterBy name="severity" of={severityWords} />
    </Filters>
  )
}

interface ListProps {
  status: Status
  filter: { service?: string; severity?: Severity }
  isFiltered: boolean
}

function IncidentList({ status, filter, isFiltered }: ListProps) {
  const incidents = usePages('incidents.list', { status, ...filter, limit: 50 })
  return (
    <Section title={titles[status]}>
      <Listed
        of={incidents}
        lines={status === 'open' ? 2 : 6}
        empty={<Nothing status={status} isFiltered={isFiltered} />}
        caption={`${titles[status]} incidents`}
        columns={columnsOf(status)}
        keyOf={({ key }) => key}
      />
    </Section>
  )
}

function Nothing({ status, isFiltered }: { status: Status; isFiltered: boolean }) {
  const sources = useRead('sources.list', {})
  if (isFiltered)
    return (
      <Empty
        icon={status === 'open' ? CheckCircle2 : Siren}
        title={'No results'}
        action={
          <Link to="/$ws/incidents" className={buttonClass()}>
            Clear filters
          </Link>
        }
      >
        No {status} incidents match these filters.
      </Empty>
    )
  if (status === 'resolved')
    return (
      <p className="text-sm text-muted">
        No resolved incidents. An incident is resolved when all its alerts have recovered, or when someone
        resolves it.
      </p>
    )
  if (sources.data && sources.data.data.length === 0)
    return (
      <Empty
        icon={Siren}
        title="No alerting tool is connected"
        action={
          <Link to="/$ws/services" className={buttonClass('primary')}>
            Go to services
          </Link>
        }
      >
        Create a service, add a source, and paste its address and secret into your alerting tool. Alerts that
        are severe enough then open incidents here.
      </Empty>
    )
  return (
    <Empty
      icon={CheckCircle2}
      title="No open incidents"
      action={
        <Link to="/$ws/services" className={buttonClass()}>
          View services
        </Link>
      }
    >
      To check that alerts arrive, open a source and send a test alert.
    </Empty>
  )
}

/** The heading above says whether they are open, so no column does. */
const columnsOf = (status: Status): Column<IncidentListed>[] => [
  {
    title: 'Incident',
    className: 'md:w-full md:min-w-56',
    cell: ({ key, title }) => (
      <KeyLink to="incident" of={key} className="inline-block py-1 font-medium wrap-anywhere hover:underline">
        <span className="mr-2 font-mono text-xs whitespace-nowrap text-muted">{key}</span>
        <bdi>
          <Coded text={title} />
        </bdi>
      </KeyLink>
    ),
  },
  { title: 'Severity', card: 'state', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    title: 'Service',
    className: 'md:min-w-36',
    cell: ({ service }) => (
      <Link
        to="/$ws/services/$service"
        params={{ service: service.id }}
        className="inline-block py-1 wrap-anywhere hover:underline"
      >
        {service.name}
      </Link>
    ),
  },
  {
    title: 'Taken by',
    className: 'md:min-w-28',
    cell: ({ assignee }) =>
      assignee ? (
        <span className="wrap-anywhere">{assignee.name}</span>
      ) : (
        <span className="text-muted">No one</span>
      ),
  },
  { title: 'Alerts', right: true, cell: ({ alerts }) => alerts },
  { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
  status === 'resolved'
    ? { title: 'Duration', className: 'whitespace-nowrap tabular-nums', cell: lasted }
    : {
        title: 'Actions',
        cell: (incident) => (
          <span className="flex w-full flex-nowrap gap-1.5 max-md:[&_button]:flex-1">
            <IncidentActions incident={incident} size="small" />
          </span>
        ),
      },
]
