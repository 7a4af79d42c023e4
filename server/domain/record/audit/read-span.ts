import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Db } from '../../../infra/db/db.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import { selectSpan, selectStorms } from './store.ts'

export interface Span {
  from: Date
  until: Date
}

/** More in ten minutes than anyone reads one by one. */
const stormDeliveries = 100
const mostDeliveries = 20_000

/**
 * What happened within a span, as far as these events tell, newest first and up to `most`. It asks for no role: callers
 * show only what their reader may see.
 */
export async function readSpan(
  db: Db,
  workspaceId: string,
  span: Span,
  events: AuditEvent[],
  most: number,
): Promise<AuditEntry[]> {
  const texts = await selectSpan(db, workspaceId, { ...boundsOf(span), events, rows: most })
  return texts.map(fromJson)
}

/** A source that delivered so many alerts at once that they can only be counted. */
export interface Storm {
  source: string
  name: string | null
  deliveries: number
  at: Date
}

export async function readStorms(db: Db, workspaceId: string, span: Span): Promise<readonly Storm[]> {
  const { fromId, beforeId } = boundsOf(span)
  return selectStorms(db, workspaceId, fromId, beforeId, stormDeliveries, mostDeliveries)
}

const boundsOf = ({ from, until }: Span) => ({ fromId: firstIdAt(from), beforeId: firstIdAt(until) })
