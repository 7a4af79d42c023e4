import type { Refusal } from '@signalbox/contract/app/sources.ts'
import type { Context } from '../../context.ts'
import { selectRefusals } from './store.ts'

const mostRefusals = 50

/** What was refused lately, by hour and reason. */
export async function listRefusals(ctx: Context, source: string): Promise<Refusal[]> {
  const rows = await selectRefusals(ctx.db, ctx.workspaceId, source, mostRefusals)
  return rows.map(({ hour, lastAt, ...row }) => ({
    ...row,
    hour: hour.toISOString(),
    lastAt: lastAt.toISOString(),
  }))
}
