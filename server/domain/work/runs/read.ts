import type { Run } from '@signalbox/contract/run.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectRun } from './store.ts'
import { visibleRun } from './visible-run.ts'

export async function readRun(ctx: Context, key: string): Promise<Json<Run>> {
  const run = await selectRun(ctx.db, ctx.workspaceId, key)
  if (!run) throw notFound('run', key)
  return visibleRun(run.json)
}
