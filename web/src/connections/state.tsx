import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import { Check, TriangleAlert, XCircle } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'

type Health = Pick<ConnectionRow, 'lastSuccessAt' | 'lastRefusalAt' | 'missing' | 'refusals'>

/** What of a connection the tool refuses. */
export function scopeWords({ scope, name }: Pick<Health['refusals'][number], 'scope' | 'name'>): string {
  const [what = '', ...id] = scope.split('/')
  if (what === '') return 'Account'
  if (what === 'effect') return 'One request'
  if (what === 'socket') return 'Socket Mode'
  if (what === 'repository' && id.at(-1) === 'verdict')
    return `Commit status in ${name ?? id.slice(0, -1).join('/')}`
  return `${what[0]!.toUpperCase()}${what.slice(1)} ${name ?? id.filter((part) => part !== 'read').join('/')}`
}

/** Whether the last call was refused: what came after it counts. */
export const isRefused = ({ lastSuccessAt, lastRefusalAt }: Health): boolean =>
  lastRefusalAt !== null && (lastSuccessAt === null || lastRefusalAt > lastSuccessAt)

/** How a connection is doing, in a word. */
export function ConnectionState({ of }: { of: Health }) {
  if (isRefused(of)) return <Badge tone="danger" icon={XCircle} word="Not working" />
  if (of.refusals.length > 0) return <Badge tone="danger" icon={XCircle} word="Refused" />
  if (of.missing.length > 0) return <Badge tone="warn" icon={TriangleAlert} word="Permission missing" />
  return <Badge tone="ok" icon={Check} word="Connected" />
}
