import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { ExternalLink } from 'lucide-react'
import type { ReactNode } from 'react'
import { dateOf } from '../browser/formats.ts'
import { Coded } from '../ui/coded.tsx'
import { Link } from '../ui/link.ts'
import { Card } from '../ui/page.tsx'
import { TeamName } from '../ui/team-name.tsx'
import { Time } from '../ui/time.tsx'
import { IncidentStatus, SeverityBadge } from '../words/incidents.tsx'
import { lasted } from './lasted.ts'

export function Facts({ incident }: { incident: IncidentPage }) {
  const { service, team } = incident
  return (
    <Card className="flex flex-col gap-3 p-4">
      <h2 className="sr-only">Facts</h2>
      <dl className="grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 text-sm">
        <Fact name="Status">
          <IncidentStatus status={incident.status} />
        </Fact>
        <Fact name="Severity">
          <SeverityBadge severity={incident.severity} />
        </Fact>
        <Fact name="Taken by">{incident.assignee?.name ?? <span className="text-muted">No one</span>}</Fact>
        {incident.acknowledged && (
          <Fact name="Acknowledged">
            by {incident.acknowledged.by} <Moment at={incident.acknowledged.at} />
          </Fact>
        )}
        <Fact name="Opened">
          <Moment at={incident.openedAt} />
        </Fact>
        {incident.resolvedAt && (
          <>
            <Fact name="Resolved">
              <Moment at={incident.resolvedAt} />
            </Fact>
            {incident.resolution && (
              <Fact name="Resolved by">
                {incident.resolution.by}
                <span dir="auto" className="block whitespace-pre-wrap">
                  <Coded text={incident.resolution.reason} />
                </span>
              </Fact>
            )}
            <Fact name="Duration">{lasted(incident)}</Fact>
          </>
        )}
        <Fact name="Service">
          {incident.serviceDeleted ? (
            <>{service.name} (deleted)</>
          ) : (
            <Link
              to="/$ws/services/$service"
              params={{ service: service.id }}
              className="text-accent hover:underline"
            >
              {service.name}
            </Link>
          )}
        </Fact>
        <Fact name="Team">
          <Link to="/$ws/teams/$team" params={{ team }} className="text-accent hover:underline">
            <TeamName of={team} />
          </Link>
        </Fact>
        <Fact name="Alerts">{incident.alerts}</Fact>
      </dl>
      <Links incident={incident} />
    </Card>
  )
}

/** Both how long ago and at which hour: logs and dashboards are searched by the hour. */
const Moment = ({ at }: { at: string }) => (
  <>
    <Time at={at} plain /> <span className="block text-xs text-muted">{dateOf(at)}</span>
  </>
)

export const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="contents">
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0 wrap-anywhere">{children}</dd>
  </div>
)

/** Each address once, whichever alert named it. Only web addresses are kept by the intake. */
function Links({ incident: { alertList } }: { incident: IncidentPage }) {
  const links = new Map(
    alertList.flatMap(({ links }) => links.map((link) => [link.url, link.label] as const)),
  )
  if (links.size === 0) return null
  return (
    <div>
      <h3 className="mb-1 text-xs font-medium text-muted">Links</h3>
      <ul className="flex flex-col gap-0.5 text-sm">
        {[...links].slice(0, 20).map(([url, label]) => (
          <li key={url}>
            <a
              href={url}
              target="_blank"
              rel="noopener noreferrer nofollow"
              className="inline-flex min-h-7 items-center gap-1 break-all text-accent hover:underline"
            >
              {label || url}
              <ExternalLink size={12} aria-hidden="true" className="shrink-0" />
            </a>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** What its alerts are marked with: every name once, with the values that differ. */
export function Labels({ incident: { alertList } }: { incident: IncidentPage }) {
  const labels = new Map<string, Set<string>>()
  for (const alert of alertList) {
    for (const [name, value] of Object.entries(alert.labels))
      labels.set(name, (labels.get(name) ?? new Set()).add(value))
  }
  if (labels.size === 0) return null
  return (
    <Card className="p-4">
      <h2 className="mb-2 text-xs font-medium text-muted">Labels</h2>
      <dl className="flex flex-wrap gap-1">
        {[...labels].slice(0, 40).map(([name, values]) => (
          <div
            key={name}
            className="max-w-full rounded bg-hover px-1.5 py-0.5 font-mono text-2xs wrap-anywhere"
          >
            <dt className="inline text-muted">{name}=</dt>
            <dd className="inline">{[...values].slice(0, 3).join(', ') + (values.size > 3 ? ' …' : '')}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}
