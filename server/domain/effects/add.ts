import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import type { Context } from '../context.ts'
import type { Wanted } from './effect.ts'
import { insertEffect, isPendingForRun, withdrawOfRun } from './store.ts'

/** Writes down what is to be done outside the database, as part of the transaction that wants it. */
export async function addEffect(ctx: Context, tx: Tx, wanted: Wanted): Promise<void> {
  const at = ctx.clock.now()
  const id = newId(at)
  if (!(await insertEffect(tx, { ...wanted, id, workspaceId: ctx.workspaceId, at }))) return
  await ctx.queue.send(tx, { task: 'effect', workspaceId: ctx.workspaceId, id })
}

/** What a run wanted and nobody has done yet is not wanted any more. */
export const withdrawEffects = (tx: Tx, runId: string): Promise<void> => withdrawOfRun(tx, runId)

export const hasPendingEffect = (tx: Tx, runId: string): Promise<boolean> => isPendingForRun(tx, runId)
