import type { AuditEntry } from '@signalbox/contract/audit.ts'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { spoken } from './words.ts'

/** What an entry is about, with the way to its page where there is one. */
export function EntityLink({ entity: { type, id, name } }: { entity: AuditEntry['entity'] }) {
  // An id that is only a number for machines tells a reader nothing beside a name.
  const isMachine = /^[0-9a-f]{8}-/.test(id)
  return (
    <div className="[overflow-wrap:anywhere] md:truncate" title={name ?? id}>
      <span className="text-muted">{spoken(type)}</span> {!isMachine && <PageLink type={type} id={id} />}{' '}
      {name ?? (isMachine && id.slice(0, 8))}
    </div>
  )
}

const linkClass = 'inline-flex min-h-6 items-center font-mono text-xs hover:underline'

function PageLink({ type, id }: { type: AuditEntry['entity']['type']; id: string }): ReactNode {
  const ws = useWorkspace()
  switch (type) {
    case 'story':
    case 'draft':
      return (
        <Link to="/$ws/stories/$key" params={{ ws, key: id }} className={linkClass}>
          {id}
        </Link>
      )
    case 'run':
      return (
        <Link to="/$ws/runs/$key" params={{ ws, key: id }} className={linkClass}>
          {id}
        </Link>
      )
    case 'decision':
      return (
        <Link to="/$ws/decisions/$key" params={{ ws, key: id }} className={linkClass}>
          {id}
        </Link>
      )
    case 'incident':
      return (
        <Link to="/$ws/incidents/$key" params={{ ws, key: id }} className={linkClass}>
          {id}
        </Link>
      )
    case 'requirement':
      return (
        <Link to="/$ws/intake/$slug" params={{ ws, slug: id }} className={linkClass}>
          {id}
        </Link>
      )
    case 'team':
    case 'policy':
      return (
        <Link to="/$ws/teams/$team" params={{ ws, team: id }} className={linkClass}>
          {id}
        </Link>
      )
    default:
      return <span className="font-mono text-xs">{id}</span>
  }
}
