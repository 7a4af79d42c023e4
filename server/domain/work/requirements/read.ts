import type { Requirement } from '@signalbox/contract/requirement.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectRequirement } from './store.ts'

export async function readRequirement(ctx: Context, slug: string): Promise<Json<Requirement>> {
  const requirement = await selectRequirement(ctx.db, ctx.workspaceId, slug)
  if (!requirement) throw notFound('requirement', slug)
  return requirement.json
}
