import type { DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { maxInboxPage } from '@signalbox/contract/limits.ts'

/** The tabs of the inbox; the first has no name in the address. */
export const tabs = [
  { name: 'Waiting', status: undefined },
  { name: 'Resolved', status: 'resolved' },
  { name: 'All', status: 'all' },
] as const

/** What the Waiting tab reads, without filters. */
export const waiting = { status: 'pending', limit: maxInboxPage } as const

interface Filters {
  status?: string | undefined
  team?: string | undefined
  kind?: string | undefined
}

/** What a tab and its filters ask the server for. */
export const listInput = ({ status, team, kind }: Filters) => ({
  ...(status === 'all' ? {} : { status: (status ?? waiting.status) as DecisionRow['status'] }),
  ...(team ? { team } : {}),
  ...(kind ? { kind: kind as DecisionRow['kind'] } : {}),
  // What waits is read whole, so that j and k never wait; the past, page by page.
  limit: status ? 50 : waiting.limit,
})

/**
 * Of what the list and the full answer say, the later: a decision is closed once and for all, so whichever says
 * closed is right.
 */
export function currentOf(
  listed: DecisionRow | undefined,
  full: DecisionPage | undefined,
): DecisionRow | undefined {
  if (!full) return listed
  return listed && listed.status !== 'pending' && full.decision.status === 'pending' ? listed : full.decision
}
