import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../audit/change.ts'
import {
  checkEffect,
  type DueEffect,
  type EffectData,
  type EffectKind,
  type NewEffect,
  ordererOf,
} from './effect.ts'
import { addData, insertEffect, isPendingForRun, isUntaken, reviveNewest, withdrawOfRun } from './store.ts'

/**
 * Writes down what is to be done outside the database, as part of the transaction that wants it. Returns its id; null
 * when it was wanted before.
 */
export async function addEffect(ctx: Context, tx: Tx, effect: NewEffect): Promise<string | null> {
  checkEffect(effect)
  const at = ctx.clock.now()
  const id = newId(at)
  if (!(await insertEffect(tx, ctx.workspaceId, { ...effect, id, at, orderer: ordererOf(ctx, effect.kind) })))
    return null
  await ctx.queue.send(tx, { task: 'effect', workspaceId: ctx.workspaceId, id })
  return id
}

/** Whether an effect with that key prefix is waiting and has not been started. */
export const isWanted = (ctx: Context, tx: Tx, prefix: string): Promise<boolean> =>
  isUntaken(tx, ctx.workspaceId, prefix)

/** Withdraws the effects of a run that have not been done yet. */
export const withdrawEffects = (ctx: Context, tx: Tx, runId: string): Promise<void> =>
  withdrawOfRun(tx, ctx.workspaceId, runId)

/** Wants again what a run wanted last of that kind, under the same key: what was done of it is not done twice. */
export async function reviveEffect(ctx: Context, tx: Tx, runId: string, kind: EffectKind): Promise<void> {
  const id = await reviveNewest(tx, ctx.workspaceId, runId, kind, ctx.clock.now())
  if (id) await ctx.queue.send(tx, { task: 'effect', workspaceId: ctx.workspaceId, id })
}

/** Notes the reason for an external action before it is done, for a later attempt that finds it already done. */
export const noteBefore = <K extends EffectKind>(
  ctx: Context,
  { id }: DueEffect<K>,
  data: Partial<EffectData[K]>,
): Promise<void> =>
  housekeeping(ctx.db, 'note why something is done outside', (tx) => addData(tx, ctx.workspaceId, id, data))

export const hasPendingEffect = (ctx: Context, tx: Tx, runId: string): Promise<boolean> =>
  isPendingForRun(tx, ctx.workspaceId, runId)
