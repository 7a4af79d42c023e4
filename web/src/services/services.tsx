import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { useSearch } from '@tanstack/react-router'
import { Plus, Server } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useRead } from '../api/queries.ts'
import { TeamName } from '../teams/team-name.tsx'
import { OpenButton } from '../ui/dialog.tsx'
import { FilterBy, Filters, useSetFilter } from '../ui/filters.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Listed } from '../ui/listed.tsx'
import { Empty, Page } from '../ui/page.tsx'
import type { Column } from '../ui/table.tsx'
import { SeverityBadge } from '../words/incidents.tsx'
import { ObserveOnly } from '../words/services.tsx'
import { NewService } from './new-service.tsx'
import { OnCallNow } from './on-call-now.tsx'

export function Services() {
  const search = useSearch({ from: '/$ws/services' })
  const set = useSetFilter()
  const services = useRead('services.list', search.team ? { team: search.team } : {}, { keep: true })
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
        of={services}
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

const columns: Column<ServiceRow>[] = [
  {
    title: 'Service',
    cell: ({ id, name, settings }) => (
      <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
        <Link
          to="/$ws/services/$service"
          params={{ service: id }}
          className="inline-block py-1 font-medium wrap-anywhere hover:underline"
        >
          {name}
        </Link>
        {settings.observeOnly && <ObserveOnly />}
      </span>
    ),
  },
  { title: 'Team', cell: ({ team }) => <TeamName of={team} /> },
  {
    title: 'Open incident',
    cell: ({ openIncident }) =>
      openIncident ? (
        <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
          <KeyLink
            to="incident"
            of={openIncident.key}
            className="inline-flex min-h-7 items-center font-mono text-xs text-accent hover:underline"
          />
          <SeverityBadge severity={openIncident.severity} />
          {openIncident.assignee && (
            <span className="text-xs text-muted">taken by {openIncident.assignee}</span>
          )}
        </span>
      ) : (
        <span className="text-muted">None</span>
      ),
  },
  { title: 'On call now', cell: (service) => <OnCallNow service={service} /> },
  {
    title: 'Sources',
    right: true,
    cell: ({ sources }) => (sources === 0 ? <span className="text-muted">None</span> : sources),
  },
  {
    title: 'Repositories',
    right: true,
    wideOnly: true,
    cell: ({ repositories }) =>
      repositories.length === 0 ? <span className="text-muted">None</span> : repositories.length,
  },
]
