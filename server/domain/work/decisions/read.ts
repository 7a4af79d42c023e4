import type { Decision } from '@signalbox/contract/decision.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectDecision } from './store.ts'

export async function readDecision(ctx: Context, key: string): Promise<Json<Decision>> {
  const decision = await selectDecision(ctx.db, ctx.workspaceId, key)
  if (!decision) throw notFound('decision', key)
  return decision.json
}
