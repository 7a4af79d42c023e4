import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { moment } from '../../plain-text.ts'
import { lockIncident } from '../../work/timeline/append.ts'
import { type Act, type HandledIncident, selectHandled, selectIncidentId } from './store.ts'

/**
 * Locks the incident until the transaction ends, so that of two people acting together the second sees what the first
 * did.
 */
export async function lockForPerson(ctx: Context, tx: Tx, key: string): Promise<HandledIncident> {
  const id = await selectIncidentId(tx, ctx.workspaceId, key)
  if (!id) throw notFound('incident', key)
  await lockIncident(tx, ctx.workspaceId, id)
  return (await selectHandled(tx, ctx.workspaceId, id))!
}

/** The same for what only an open one allows. */
export async function lockOpenForPerson(ctx: Context, tx: Tx, key: string): Promise<HandledIncident> {
  const incident = await lockForPerson(ctx, tx, key)
  const { resolved } = incident
  if (!resolved) return incident
  throw first(
    resolved.by
      ? `${resolved.by} resolved ${key} at ${at(resolved)}.`
      : `${key} was resolved at ${at(resolved)}, when every alert had recovered.`,
  )
}

/** Someone else was first: the second person is told who, and when. */
export const first = (sentence: string): DomainError => new DomainError('conflict', sentence)

export const at = (act: Pick<Act, 'at'>): string => moment(new Date(act.at))

/** Only people may act here, because the incident names who did. */
export function personOf({ actor }: Context): { id: string; name: string } {
  if (actor.type === 'human') return { id: actor.userId, name: actor.name }
  throw new DomainError('insufficient_role', 'Only a person can do this.')
}
