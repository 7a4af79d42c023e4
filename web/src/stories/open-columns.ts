import type { BoardColumn } from '@signalbox/contract/app/stories.ts'

type Counted = Pick<BoardColumn, 'role' | 'total'>

/**
 * Which columns are open on a phone, where one stands below the other: those in which something is going on. Where
 * nothing is, the first one with cards.
 */
export function openColumns(columns: readonly Counted[]): Set<BoardColumn['role']> {
  const filled = columns.filter(({ total }) => total > 0).map(({ role }) => role)
  const active = filled.filter((role) => role !== 'backlog' && role !== 'done')
  return new Set(active.length > 0 ? active : filled.slice(0, 1))
}
