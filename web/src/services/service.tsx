import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { TeamName } from '../teams/team-name.tsx'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/dialog.tsx'
import { Loaded, Page, Tabs, tabClass } from '../ui/page.tsx'
import { complain, say } from '../ui/toast.tsx'
import { ObserveOnly } from '../words/services.tsx'
import { ServiceAlerts } from './alerts.tsx'
import { Overview } from './overview.tsx'
import { Settings } from './settings.tsx'
import { ServiceSources } from './sources.tsx'

const tabs = { overview: 'Overview', settings: 'Settings', sources: 'Sources', alerts: 'Alerts' }
type Tab = keyof typeof tabs
const isTab = (tab: string): tab is Tab => Object.hasOwn(tabs, tab)

export function ServiceScreen() {
  const { ws, service: id } = useParams({ from: '/$ws/services/$service' })
  const { tab: asked = 'overview' } = useSearch({ from: '/$ws/services/$service' })
  const tab = isTab(asked) ? asked : 'overview'
  const service = useRead('services.read', { service: id })
  return (
    <Page
      title={service.data?.name ?? 'Service'}
      above={
        <>
          <Link to="/$ws/services" params={{ ws }} className="hover:underline">
            Services
          </Link>
          {service.data && (
            <>
              <span aria-hidden="true">/</span>
              <Link
                to="/$ws/teams/$team"
                params={{ ws, team: service.data.team }}
                className="wrap-anywhere hover:underline"
              >
                <TeamName of={service.data.team} />
              </Link>
            </>
          )}
        </>
      }
      aside={
        service.data && (
          <>
            {service.data.settings.observeOnly && <ObserveOnly />}
            <DeleteService service={service.data} />
          </>
        )
      }
    >
      <Tabs label="Service sections">
        {Object.entries(tabs).map(([key, name]) => (
          <Link
            key={key}
            to="/$ws/services/$service"
            params={{ ws, service: id }}
            search={key === 'overview' ? {} : { tab: key }}
            className={`${tabClass.className} ${tab === key ? tabClass.activeProps.className : ''}`}
            aria-current={tab === key ? 'page' : undefined}
            activeProps={{}}
          >
            {name}
          </Link>
        ))}
      </Tabs>
      <Loaded of={service}>
        {(data) => {
          if (tab === 'settings') return <Settings service={data} />
          if (tab === 'sources') return <ServiceSources service={data} />
          if (tab === 'alerts') return <ServiceAlerts service={data} />
          return <Overview service={data} />
        }}
      </Loaded>
    </Page>
  )
}

function DeleteService({ service }: { service: ServiceRow }) {
  const ws = useWorkspace()
  const navigate = useNavigate()
  const may = useMay('admin')
  const [asks, setAsks] = useState(false)
  const remove = useWrite('services.delete', { alsoStale: ['sources', 'incidents'] })
  return (
    <>
      <Button
        look="quiet"
        icon={<Trash2 size={14} />}
        forbidden={!may && 'Only owners and admins can manage services'}
        onClick={() => setAsks(true)}
      >
        Delete
      </Button>
      <Confirm
        open={asks}
        onClose={() => setAsks(false)}
        title={`Delete ${service.name}?`}
        action="Delete service"
        busy={remove.isPending}
        onConfirm={() =>
          remove.mutate(
            { service: service.id },
            {
              onSuccess: () => {
                say(`${service.name} deleted`)
                void navigate({ to: '/$ws/services', params: { ws } })
              },
              onError: complain,
            },
          )
        }
      >
        Its incidents are kept. New alerts for it are recorded but won’t open incidents, and it’s removed from
        its sources.
      </Confirm>
    </>
  )
}
