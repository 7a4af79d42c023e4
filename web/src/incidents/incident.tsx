import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { isTestIncident } from '@signalbox/contract/test-alert.ts'
import { useParams } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useRead } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Back } from '../ui/back.tsx'
import { Badge } from '../ui/badge.tsx'
import { CopyButton, copy } from '../ui/copy.tsx'
import { Below, Loaded, Page, Section } from '../ui/page.tsx'
import { ObserveOnly } from '../words/services.tsx'
import { IncidentActions } from './actions.tsx'
import { AlertsTable } from './alerts-table.tsx'
import { Facts, Labels } from './facts.tsx'
import { Finding } from './finding.tsx'
import { IncidentNotifications, Linked } from './linked.tsx'
import { Now, saysObserveOnly } from './now.tsx'
import { Sparkline } from './sparkline.tsx'
import { Timeline } from './timeline.tsx'

export function IncidentScreen() {
  const { key } = useParams({ from: '/$ws/incidents/$key' })
  const incident = useRead('incidents.read', { incident: key })
  useShortcuts({ '.': { what: 'Copy key', run: () => void copy(key, `${key} copied`) } })
  return (
    <Page
      title={incident.data?.title ?? key}
      above={
        <>
          <Back to="/$ws/incidents" />
          <span aria-hidden="true">/</span>
          <span className="font-mono text-xs">{key}</span>
          <CopyButton text={key} label="Copy key" />
        </>
      }
      aside={
        incident.data && (
          <>
            {isTestIncident(incident.data) && <Badge tone="info" icon={FlaskConical} word="Test" />}
            {incident.data.observeOnly && !saysObserveOnly(incident.data) && <ObserveOnly />}
            <IncidentActions incident={incident.data} />
          </>
        )
      }
    >
      <Loaded of={incident} lines={10}>
        {(data) => <Content incident={data} />}
      </Loaded>
    </Page>
  )
}

function hintOf({ resolution, alerts, alertList }: IncidentPage): string | undefined {
  const isQuiet = resolution !== null && alertList.some(({ status }) => status === 'firing')
  return (
    [
      alerts > alertList.length && 'The latest 100.',
      isQuiet && 'An alert that is still firing won’t open another incident until it has recovered.',
    ]
      .filter(Boolean)
      .join(' ') || undefined
  )
}

/** On a phone in this order, top to bottom; on a wide screen the facts stand beside. */
function Content({ incident }: { incident: IncidentPage }) {
  return (
    <>
      <Now incident={incident} />
      <div className="grid grid-cols-1 gap-x-6 gap-y-4 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
        <div className="flex flex-col gap-4 max-lg:mb-4 lg:col-start-2">
          <Facts incident={incident} />
          <Linked incident={incident} />
        </div>
        <Below>
          <div className="lg:col-start-1 lg:row-span-2 lg:row-start-1">
            <Finding finding={incident.finding} />
            <Section title="Alerts" hint={hintOf(incident)}>
              <Sparkline incident={incident.key} />
              <AlertsTable alerts={incident.alertList} of="incident" />
            </Section>
            <Timeline incident={incident} />
          </div>
          <div className="flex flex-col gap-4 lg:col-start-2">
            <IncidentNotifications notifications={incident.tellings} />
            <Labels incident={incident} />
          </div>
        </Below>
      </div>
    </>
  )
}
