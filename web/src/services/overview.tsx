import type { AlertRow } from '@signalbox/contract/app/incidents.ts'
import type { ServiceActivity, ServiceRow } from '@signalbox/contract/app/services.ts'
import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { CheckCircle2, Plus, Siren } from 'lucide-react'
import type { ReactNode } from 'react'
import { useRead } from '../api/queries.ts'
import { IncidentActions } from '../incidents/actions.tsx'
import { SourceState } from '../sources/state.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { Card, Loaded, Section, Skeleton } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { AlertStatus, SeverityBadge } from '../words/incidents.tsx'
import { NotifiedPeople } from './notified.tsx'
import { OnCallNow } from './on-call-now.tsx'
import { hoursWords } from './setting-words.ts'
import { Uptime } from './uptime.tsx'

/** What a responder wants to know of a service, in this order; on a wide screen who is notified stands beside. */
export function Overview({ service }: { service: ServiceRow }) {
  const activity = useRead('services.activity', { service: service.id })
  // Shown together: each would push down what is below it.
  const parts = [
    activity,
    useRead('sources.alerts', lastAlertsOf(service.id)),
    useRead('sources.list', { service: service.id }),
    useRead('services.uptime', { service: service.id }),
  ]
  return (
    <>
      <State service={service} last={activity.data?.data[0]?.lastIncident ?? null} />
      {parts.some(({ isPending }) => isPending) ? (
        <Skeleton />
      ) : (
        <div className="grid grid-cols-1 gap-x-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
          <div>
            <LastAlerts service={service.id} />
            <Sources service={service.id} />
            <Uptime service={service.id} />
          </div>
          <div>
            <Section title="Who is notified">
              <Card className="min-h-14 p-4 text-sm">
                <Loaded of={activity} lines={1}>
                  {({ data: [found] }) => found && <NotifiedPeople service={service} activity={found} />}
                </Loaded>
              </Card>
            </Section>
            <Section title="On-call hours">
              <Card className="flex flex-col gap-2 p-4 text-sm">
                <p className="wrap-anywhere first-letter:uppercase">{hoursWords(service.settings.hours)}</p>
                <div className="flex flex-wrap items-center gap-2">
                  <span className="text-muted">On call now</span>
                  <OnCallNow service={service} briefly />
                </div>
              </Card>
            </Section>
          </div>
        </div>
      )}
    </>
  )
}

const lastAlertsOf = (service: string) => ({ service, limit: 5 })

interface StateProps {
  service: ServiceRow
  last: ServiceActivity['lastIncident']
}

function State({ service: { openIncident }, last }: StateProps) {
  if (!openIncident)
    return (
      <Card className="mb-6 flex min-h-14 flex-wrap items-center gap-x-3 gap-y-1 p-4">
        <span className="flex items-center gap-2 font-medium">
          <CheckCircle2 size={16} aria-hidden="true" className="text-ok" /> No open incidents
        </span>
        {last?.resolvedAt && (
          <span className="text-sm text-muted">
            Last:{' '}
            <KeyLink to="incident" of={last.key} className="text-accent underline">
              {last.key}
            </KeyLink>
            , resolved <Time at={last.resolvedAt} />
          </span>
        )}
      </Card>
    )
  return (
    <section
      aria-label="Open incident"
      className="mb-6 flex flex-wrap items-center justify-between gap-x-4 gap-y-3 rounded-lg border border-danger bg-danger-soft p-4"
    >
      <div className="min-w-0 flex-1 basis-64">
        <div className="flex flex-wrap items-center gap-2">
          <Siren size={16} aria-hidden="true" className="shrink-0 text-danger" />
          <KeyLink
            to="incident"
            of={openIncident.key}
            className="min-w-0 font-medium wrap-anywhere hover:underline"
          >
            <bdi>
              <Coded text={openIncident.title} />
            </bdi>
          </KeyLink>
          <SeverityBadge severity={openIncident.severity} />
        </div>
        <p className="mt-1 text-sm">
          <span className="font-mono text-xs">{openIncident.key}</span> opened{' '}
          <Time at={openIncident.openedAt} />
          {openIncident.assignee ? `, taken by ${openIncident.assignee}` : ', not taken yet'}
        </p>
      </div>
      <Act incident={openIncident.key} />
    </section>
  )
}

/** What is next to be done about it, without leaving the page. */
function Act({ incident }: { incident: string }) {
  const read = useRead('incidents.read', { incident })
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-2 max-sm:w-full pointer-coarse:min-h-[44px]">
      {read.data && <IncidentActions incident={read.data} size="small" />}
    </div>
  )
}

/** The way to all of it, beside a heading. */
const All = ({ service, tab, children }: { service: string; tab: string; children: ReactNode }) => (
  <Link
    to="/$ws/services/$service"
    params={{ service }}
    search={{ tab }}
    className="inline-flex min-h-7 items-center text-sm text-accent hover:underline"
  >
    {children}
  </Link>
)

function LastAlerts({ service }: { service: string }) {
  const alerts = useRead('sources.alerts', lastAlertsOf(service))
  return (
    <Section title="Last alerts" aside={<All {...{ service, tab: 'alerts' }}>All alerts</All>}>
      <Loaded of={alerts} lines={3}>
        {({ data }) =>
          data.length === 0 ? (
            <Card className="p-4 text-sm text-muted">No alerts yet</Card>
          ) : (
            <Card className="divide-y">
              {data.map((alert) => (
                <Alert key={alert.id} alert={alert} />
              ))}
            </Card>
          )
        }
      </Loaded>
    </Section>
  )
}

const Alert = ({
  alert: { title, severity, status, isTest, incident, reason, count, lastAt },
}: {
  alert: AlertRow
}) => (
  <div className="flex items-start justify-between gap-3 px-4 py-2.5 text-sm">
    <div className="min-w-0">
      <p dir="auto" className="font-medium wrap-anywhere">
        <Coded text={title} />
      </p>
      <p className="wrap-anywhere text-muted">
        <Time at={lastAt} />
        {count > 1 && `, ${count} times`}
        {incident ? (
          <>
            , in{' '}
            <KeyLink to="incident" of={incident} className="text-accent underline">
              {incident}
            </KeyLink>
          </>
        ) : (
          reason && <>. {reason}</>
        )}
      </p>
    </div>
    <span className="flex shrink-0 flex-wrap justify-end gap-1.5 max-sm:flex-col max-sm:items-end">
      <AlertStatus {...{ status, isTest }} />
      <SeverityBadge severity={severity} />
    </span>
  </div>
)

function Sources({ service }: { service: string }) {
  const sources = useRead('sources.list', { service })
  return (
    <Section title="Sources" aside={<All {...{ service, tab: 'sources' }}>All sources</All>}>
      <Loaded of={sources} lines={1}>
        {({ data }) =>
          data.length === 0 ? (
            <Card className="flex flex-wrap items-center gap-3 p-4 text-sm">
              <span>No sources yet, so this service can’t receive alerts.</span>
              <Link
                to="/$ws/services/$service/sources/new"
                params={{ service }}
                className={buttonClass('primary', 'small')}
              >
                <Plus size={13} aria-hidden="true" /> Add source
              </Link>
            </Card>
          ) : (
            <Card className="divide-y">
              {data.map((source) => (
                <div key={source.id} className="flex items-center justify-between gap-3 px-4 py-2.5 text-sm">
                  <div className="min-w-0">
                    <Link
                      to="/$ws/services/$service/sources/$source"
                      params={{ service, source: source.id }}
                      className="font-medium wrap-anywhere hover:underline"
                    >
                      {source.name}
                    </Link>
                    <p className="text-muted">
                      {source.kind === 'uptime' ? 'Last check ' : 'Last delivery '}
                      <LastHeard source={source} />
                    </p>
                  </div>
                  <SourceState source={source} />
                </div>
              ))}
            </Card>
          )
        }
      </Loaded>
    </Section>
  )
}

/** A check delivers only what changes, so it is its last look that counts. */
function LastHeard({ source: { kind, check, lastDeliveryAt } }: { source: SourceRow }) {
  const at = kind === 'uptime' ? check?.lastAt : lastDeliveryAt
  return at ? <Time at={at} /> : 'never'
}
