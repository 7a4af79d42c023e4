import type { IncidentListed } from '@signalbox/contract/incident.ts'
import type { Severity } from '@signalbox/contract/signal.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { CheckCircle2, Siren } from 'lucide-react'
import { usePages, useRead, useWorkspace } from '../api/queries.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Field, Select } from '../ui/field.tsx'
import { Empty, Loaded, Page, Section } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { duration, Time, useMinute } from '../ui/time.tsx'
import { IncidentStatus, SeverityBadge, severityList, severityWords } from './severity.tsx'

type Status = 'open' | 'resolved'

/** Open ones first: they are few, one for each service at most. Resolved ones follow page by page. */
export function Incidents() {
  const search = useSearch({ from: '/$ws/incidents' })
  const isFiltered = Boolean(search.service || search.severity || search.status)
  const filter = {
    ...(search.service ? { service: search.service } : {}),
    ...(search.severity ? { severity: search.severity as Severity } : {}),
  }
  return (
    <Page title="Incidents">
      <Filters />
      {search.status !== 'resolved' && (
        <List status="open" title="Open" filter={filter} isFiltered={isFiltered} />
      )}
      {search.status !== 'open' && (
        <List status="resolved" title="Resolved" filter={filter} isFiltered={isFiltered} />
      )}
    </Page>
  )
}

function Filters() {
  const search = useSearch({ from: '/$ws/incidents' })
  const navigate = useNavigate({ from: '/$ws/incidents' })
  const services = useRead('services.list', {})
  const set = (name: 'status' | 'service' | 'severity') => (event: { target: { value: string } }) =>
    void navigate({
      search: (before) => ({ ...before, [name]: event.target.value || undefined }),
      replace: true,
    })
  return (
    <div className="mb-5 grid gap-3 sm:grid-cols-3 lg:max-w-3xl">
      <Field label="Status">
        {(ids) => (
          <Select {...ids} value={search.status ?? ''} onChange={set('status')}>
            <option value="">All, open first</option>
            <option value="open">Open</option>
            <option value="resolved">Resolved</option>
          </Select>
        )}
      </Field>
      <Field label="Service">
        {(ids) => (
          <Select {...ids} value={search.service ?? ''} onChange={set('service')}>
            <option value="">Every service</option>
            {services.data?.data.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Severity">
        {(ids) => (
          <Select {...ids} value={search.severity ?? ''} onChange={set('severity')}>
            <option value="">Every severity</option>
            {severityList.map((severity) => (
              <option key={severity} value={severity}>
                {severityWords[severity]}
              </option>
            ))}
          </Select>
        )}
      </Field>
    </div>
  )
}

function List({
  status,
  title,
  filter,
  isFiltered,
}: {
  status: Status
  title: string
  filter: { service?: string; severity?: Severity }
  isFiltered: boolean
}) {
  const incidents = usePages('incidents.list', { status, ...filter, limit: 50 })
  return (
    <Section title={title}>
      <Loaded of={{ ...incidents, data: incidents.all }} lines={status === 'open' ? 2 : 6}>
        {(all) =>
          all.length === 0 ? (
            <Nothing status={status} isFiltered={isFiltered} />
          ) : (
            <>
              <Rows incidents={all} />
              {incidents.hasNextPage && (
                <Button
                  className="mt-3"
                  busy={incidents.isFetchingNextPage}
                  onClick={() => void incidents.fetchNextPage()}
                >
                  Show older incidents
                </Button>
              )}
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

function Nothing({ status, isFiltered }: { status: Status; isFiltered: boolean }) {
  const ws = useWorkspace()
  const sources = useRead('sources.list', {})
  if (isFiltered)
    return (
      <Empty icon={status === 'open' ? CheckCircle2 : Siren} title={`No ${status} incidents like that`}>
        Nothing fits these filters.
      </Empty>
    )
  if (status === 'resolved')
    return (
      <Empty icon={Siren} title="No resolved incidents">
        An incident is resolved when every alert in it has recovered.
      </Empty>
    )
  if (sources.data && sources.data.data.length === 0)
    return (
      <Empty
        icon={Siren}
        title="No alerting tool is connected"
        action={
          <Link to="/$ws/services" params={{ ws }} className={buttonClass('primary')}>
            Go to services
          </Link>
        }
      >
        Make a service, add a source to it, and paste its address and secret into your alerting tool. Alerts
        that are severe enough then open incidents here.
      </Empty>
    )
  return (
    <Empty
      icon={CheckCircle2}
      title="Nothing is open"
      action={
        <Link to="/$ws/services" params={{ ws }} className={buttonClass()}>
          Services and their sources
        </Link>
      }
    >
      To see that alerts arrive, send a test alert from the page of a source.
    </Empty>
  )
}

function Rows({ incidents }: { incidents: IncidentListed[] }) {
  const ws = useWorkspace()
  const columns: Column<IncidentListed>[] = [
    {
      title: 'Incident',
      className: 'md:w-full',
      cell: ({ key, title }) => (
        <Link
          to="/$ws/incidents/$key"
          params={{ ws, key }}
          className="inline-flex min-h-7 flex-wrap items-baseline gap-x-2 font-medium break-words hover:underline max-md:justify-end"
        >
          <span className="font-mono text-xs text-muted">{key}</span>
          <span className="min-w-0 break-words">{title}</span>
        </Link>
      ),
    },
    { title: 'Severity', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    { title: 'State', cell: ({ status }) => <IncidentStatus status={status} /> },
    {
      title: 'Service',
      className: 'md:min-w-32',
      cell: ({ service }) => (
        <Link
          to="/$ws/services/$service"
          params={{ ws, service: service.id }}
          className="break-words hover:underline"
        >
          {service.name}
        </Link>
      ),
    },
    { title: 'Alerts', right: true, cell: ({ alerts }) => alerts },
    { title: 'Opened', cell: ({ openedAt }) => <Time at={openedAt} /> },
    { title: 'Lasts', cell: (incident) => <Age incident={incident} /> },
  ]
  return <Table caption="Incidents" columns={columns} rows={incidents} keyOf={({ key }) => key} />
}

export function Age({ incident }: { incident: Pick<IncidentListed, 'openedAt' | 'resolvedAt'> }) {
  useMinute()
  const end = incident.resolvedAt ? Date.parse(incident.resolvedAt) : Date.now()
  return (
    <span className="whitespace-nowrap tabular-nums">{duration(end - Date.parse(incident.openedAt))}</span>
  )
}
