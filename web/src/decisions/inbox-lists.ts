import type { DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { maxInboxPage } from '@signalbox/contract/limits.ts'

/** The tabs of the inbox; the first has no name in the address. */
export const tabs = [
  { name: 'Waiting', status: undefined },
  { name: 'Snoozed', status: 'snoozed' },
  { name: 'Resolved', status: 'resolved' },
  { name: 'All', status: 'all' },
] as const

/** The orders of what waits; the first is the server's and has no name in the address. */
export const orders = { '': 'Least time left first', newest: 'Newest first', oldest: 'Oldest first' }

/** In another order than the server's: by when it was asked. */
export function inOrder<R extends Pick<DecisionRow, 'createdAt'>>(rows: R[], order: string | undefined): R[] {
  if (!order) return rows
  const sign = order === 'newest' ? -1 : 1
  return rows.toSorted((a, b) => sign * (Date.parse(a.createdAt) - Date.parse(b.createdAt)))
}

/** What the Waiting tab reads, without filters. */
export const waiting = { status: 'pending', snoozed: false, limit: maxInboxPage } as const

interface Filters {
  status?: string | undefined
  team?: string | undefined
  kind?: string | undefined
}

/** What a tab and its filters ask the server for. */
export const listInput = ({ status, team, kind }: Filters) => ({
  ...(status === 'snoozed'
    ? { status: waiting.status, snoozed: true }
    : status === 'all'
      ? {}
      : status
        ? { status: status as DecisionRow['status'] }
        : { status: waiting.status, snoozed: false }),
  ...(team ? { team } : {}),
  ...(kind ? { kind: kind as DecisionRow['kind'] } : {}),
  // What waits is read whole, so that j and k never wait; the past, page by page.
  limit: status ? 50 : waiting.limit,
})

/**
 * Of what the list and the full answer say, the later: a decision is closed once and for all, so the one that says
 * closed is right.
 */
export function currentOf(
  listed: DecisionRow | undefined,
  full: DecisionPage | undefined,
): DecisionRow | undefined {
  if (!full) return listed
  return listed && listed.status !== 'pending' && full.decision.status === 'pending' ? listed : full.decision
}
