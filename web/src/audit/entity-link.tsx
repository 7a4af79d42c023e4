import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { TeamName } from '../ui/team-name.tsx'

type Entity = AuditEntry['entity']

const linkClass = 'font-mono text-xs font-medium text-accent hover:underline'

/** What an entry is about, with the way to its page where there is one. */
export function EntityLink({ entity }: { entity: Entity }) {
  const { type, id } = entity
  const text = labelOf(entity)
  switch (type) {
    case 'draft':
      return <KeyLink to="story" of={id} className={linkClass} />
    case 'story':
    case 'run':
    case 'decision':
    case 'incident':
      return <KeyLink to={type} of={id} className={linkClass} />
    case 'requirement':
      return (
        <Link to="/$ws/intake/$slug" params={{ slug: id }} className={linkClass}>
          {text}
        </Link>
      )
    case 'team':
    case 'policy':
      return (
        <Link to="/$ws/teams/$team" params={{ team: id }} className="font-medium text-accent hover:underline">
          <TeamName of={id} />
        </Link>
      )
    case 'webhook_endpoint':
      return (
        <Link to="/$ws/settings/webhooks/$webhook" params={{ webhook: id }} className={linkClass}>
          {text}
        </Link>
      )
    case 'service':
      return isMachine(id) ? (
        <Link to="/$ws/services/$service" params={{ service: id }} className={linkClass}>
          {text}
        </Link>
      ) : (
        <Name text={text} />
      )
    default:
      return <Name text={text} />
  }
}

const Name = ({ text }: { text: string }) => <span className="font-medium">{text}</span>

/** People know these by their key; a title follows where there is room for it. */
const keyed = new Set<Entity['type']>([
  'story',
  'draft',
  'run',
  'decision',
  'incident',
  'requirement',
  'team',
  'policy',
])

/** An id that is only a number for machines tells a reader nothing beside a name. */
const isMachine = (id: string) => /^[0-9a-f]{8}-/.test(id)

export const labelOf = ({ type, id, name }: Entity): string =>
  keyed.has(type) ? id : (name ?? (isMachine(id) ? id.slice(0, 8) : id))

/** What the key stands for; nothing where the label says it already. */
export const titleOf = ({ type, name }: Entity): string | null =>
  keyed.has(type) && type !== 'team' && type !== 'policy' ? name : null
