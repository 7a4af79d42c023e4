import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { useParams, useSearch } from '@tanstack/react-router'
import { Trash2 } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { useForbiddenHere } from '../managed/managed.tsx'
import { useAction } from '../ui/action.ts'
import { Back } from '../ui/back.tsx'
import { AskButton } from '../ui/dialog.tsx'
import { Link, useGo } from '../ui/link.ts'
import { Loaded, Page, Tabs, tabClass } from '../ui/page.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { ObserveOnly } from '../words/services.tsx'
import { ServiceAlerts } from './alerts.tsx'
import { Overview } from './overview.tsx'
import { Settings } from './settings.tsx'
import { ServiceSources } from './sources.tsx'

const tabs = { overview: 'Overview', settings: 'Settings', sources: 'Sources', alerts: 'Alerts' }
type Tab = keyof typeof tabs
const isTab = (tab: string): tab is Tab => Object.hasOwn(tabs, tab)

export function ServiceScreen() {
  const { service: id } = useParams({ from: '/$ws/services/$service' })
  const { tab: asked = 'overview' } = useSearch({ from: '/$ws/services/$service' })
  const tab = isTab(asked) ? asked : 'overview'
  const service = useRead('services.read', { service: id })
  return (
    <Page
      title={service.data?.name ?? 'Service'}
      above={
        <>
          <Back to="/$ws/services" />
          {service.data && (
            <>
              <span aria-hidden="true">/</span>
              <Link
                to="/$ws/teams/$team"
                params={{ team: service.data.team }}
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
            params={{ service: id }}
            search={key === 'overview' ? {} : { tab: key }}
            className={`${tabClass.className} ${tab === key ? tabClass.activeProps.className : ''}`}
            aria-current={tab === key ? 'page' : undefined}
            activeOptions={{ exact: true }}
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

function DeleteService({ service: { id, name } }: { service: ServiceRow }) {
  const [go, forbidden] = [useGo(), useForbiddenHere('manage services', 'services', { id })]
  const remove = useAction('services.delete', {
    alsoStale: ['sources', 'incidents'],
    said: `${name} deleted`,
    next: () => go({ to: '/$ws/services' }),
  })
  return (
    <AskButton
      label="Delete"
      look="quiet"
      icon={<Trash2 size={14} />}
      forbidden={forbidden}
      does={remove}
      to={{ service: id }}
      title={`Delete ${name}?`}
      action="Delete service"
    >
      Its incidents are kept. New alerts for it are recorded but won’t open incidents, and it’s removed from
      its sources.
    </AskButton>
  )
}
