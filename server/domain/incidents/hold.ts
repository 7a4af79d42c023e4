import type { Tx } from '../../infra/db/db.ts'
import type { Context } from '../context.ts'
import { DomainError, notFound } from '../errors.ts'
import { moment } from '../plain-text.ts'
import { holdIncident } from '../timeline/append.ts'
import { type Act, type HandledIncident, selectHandled, selectIncidentId } from './store.ts'

/** The incident, held until the transaction ends: of two people who act at once, the second finds what the first did. */
export async function holdForPerson(ctx: Context, tx: Tx, key: string): Promise<HandledIncident> {
  const id = await selectIncidentId(tx, ctx.workspaceId, key)
  if (!id) throw notFound('incident', key)
  await holdIncident(tx, ctx.workspaceId, id)
  return (await selectHandled(tx, ctx.workspaceId, id))!
}

/** The same for what only an open one allows. */
export async function holdOpenForPerson(ctx: Context, tx: Tx, key: string): Promise<HandledIncident> {
  const incident = await holdForPerson(ctx, tx, key)
  const { resolved } = incident
  if (!resolved) return incident
  throw first(
    resolved.by
      ? `${resolved.by} resolved ${key} at ${at(resolved)}.`
      : `${key} was resolved at ${at(resolved)}, when every alert had recovered.`,
  )
}

/** Somebody was first: whoever comes second is told who, and when. */
export const first = (sentence: string): DomainError => new DomainError('conflict', sentence)

export const at = (act: Pick<Act, 'at'>): string => moment(new Date(act.at))

/** Who acts: people only, because somebody has to be named. */
export function personOf({ actor }: Context): { id: string; name: string } {
  if (actor.type === 'human') return { id: actor.userId, name: actor.name }
  throw new DomainError('insufficient_role', 'Only a person can do this.')
}
