import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { type LockedRequirement, selectRequirementForUpdate } from './store.ts'

/** The requirement, held for the length of the transaction, so that two changes of it come one after the other. */
export async function lockRequirement(ctx: Context, tx: Tx, slug: string): Promise<LockedRequirement> {
  const requirement = await selectRequirementForUpdate(tx, ctx.workspaceId, slug)
  if (!requirement) throw notFound('requirement', slug)
  return requirement
}
