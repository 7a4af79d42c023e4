import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus, Server } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace } from '../api/queries.ts'
import { TeamName } from '../teams/team-name.tsx'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { Filters } from '../ui/filters.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Empty, Loaded, Page } from '../ui/page.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { SeverityBadge } from '../words/incidents.tsx'
import { ObserveOnly } from '../words/services.tsx'
import { NewService } from './new-service.tsx'
import { OnCallNow } from './on-call-now.tsx'

export function Services() {
  const search = useSearch({ from: '/$ws/services' })
  const navigate = useNavigate({ from: '/$ws/services' })
  const services = useRead('services.list', search.team ? { team: search.team } : {}, { keep: true })
  const teams = useRead('teams.list', {})
  const may = useMay('admin')
  const [isNew, setNew] = useState(false)
  const create = (
    <Button
      look="primary"
      icon={<Plus size={14} />}
      forbidden={!may && 'Only owners and admins can manage services'}
      onClick={() => setNew(true)}
    >
      New service
    </Button>
  )
  return (
    <Page title="Services" aside={services.data?.data.length !== 0 && create}>
      {(teams.data?.length ?? 0) > 1 && (
        <Filters
          of="services"
          isSet={search.team !== undefined}
          onClear={() => void navigate({ search: {}, replace: true })}
        >
          <Choice
            label="Team"
            value={search.team ?? ''}
            onChange={(team) => void navigate({ search: team ? { team } : {}, replace: true })}
            none="Any team"
            of={teams.data?.map(({ slug, name }) => [slug, name])}
          />
        </Filters>
      )}
      <Loaded of={services}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty icon={Server} title={search.team ? 'No results' : 'No services yet'} action={create}>
              A service is something you run that can raise alerts. Create one, then add the sources its
              alerts come from.
            </Empty>
          ) : (
            <Rows services={data} />
          )
        }
      </Loaded>
      <NewService open={isNew} onClose={() => setNew(false)} />
    </Page>
  )
}

function Rows({ services }: { services: ServiceRow[] }) {
  const ws = useWorkspace()
  const columns: Column<ServiceRow>[] = [
    {
      title: 'Service',
      cell: ({ id, name, settings }) => (
        <span className="flex flex-wrap items-center gap-2 max-md:justify-end">
          <Link
            to="/$ws/services/$service"
            params={{ ws, service: id }}
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
    { title: 'On call now', cell: ({ onCall }) => <OnCallNow onCall={onCall} /> },
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
  return <Table caption="Services" columns={columns} rows={services} keyOf={({ id }) => id} />
}
