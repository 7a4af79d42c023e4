import type { ServiceActivity, ServiceRow } from '@signalbox/contract/app/services.ts'
import { BellOff, MessageSquare, User } from 'lucide-react'
import { buttonClass } from '../ui/button.tsx'
import { Link } from '../ui/link.ts'

const wayWords = { app: 'in the app', mail: 'by email', push: 'by push' } as const

const waysOf = (ways: (keyof typeof wayWords)[]) =>
  ways.length === 0 ? 'has turned this off' : ways.map((way) => wayWords[way]).join(', ')

/** Who is notified of an incident, and how. */
export function NotifiedPeople({ service, activity }: { service: ServiceRow; activity: ServiceActivity }) {
  const { members, channels } = activity
  if (service.tellsNoOne)
    return (
      <div role="alert" className="flex flex-col items-start gap-2">
        <span className="flex items-start gap-2 text-danger">
          <BellOff size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
          No one is notified when this service has an incident.
        </span>
        <Link
          to="/$ws/services/$service"
          params={{ service: service.id }}
          search={{ tab: 'settings' }}
          className={buttonClass('primary', 'small')}
        >
          Choose who is notified
        </Link>
      </div>
    )
  return (
    <ul className="flex flex-col gap-2">
      {members.map(({ name, ways }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two people may share a name
        <li key={index} className="flex items-start gap-2">
          <User size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
          <span className="min-w-0 wrap-anywhere">
            <bdi className="font-medium">{name}</bdi>{' '}
            <span className={ways.length === 0 ? 'text-warn' : 'text-muted'}>{waysOf(ways)}</span>
          </span>
        </li>
      ))}
      {channels.map(({ tool, name }) => (
        <li key={`${tool} ${name}`} className="flex items-start gap-2">
          <MessageSquare size={14} aria-hidden="true" className="mt-0.5 shrink-0 text-muted" />
          <span className="min-w-0 wrap-anywhere">
            <bdi className="font-medium">{name}</bdi>{' '}
            <span className="text-muted">{tool.charAt(0).toUpperCase() + tool.slice(1)}</span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** The same in a cell of a table: one name, and how many more. */
export function NotifiedSummary({ activity: { members, channels } }: { activity: ServiceActivity }) {
  const names = [...members.filter(({ ways }) => ways.length > 0), ...channels].map(({ name }) => name)
  if (names.length === 0) return <span className="text-danger">No one</span>
  return (
    <span title={names.join(', ')} className="wrap-anywhere">
      <span className="inline-block max-w-full">{names[0]}</span>{' '}
      {names.length > 1 && <span className="whitespace-nowrap text-muted">and {names.length - 1} more</span>}
    </span>
  )
}
