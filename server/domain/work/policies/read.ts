import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { readTeam } from '../teams/read.ts'
import { type PolicyVersion, selectPolicy } from './store.ts'

/** The current policy, with all of its settings; null for a team without one. */
export async function readPolicy(ctx: Context, slug: string): Promise<PolicyVersion | null> {
  const team = fromJson(await readTeam(ctx, slug))
  return (await selectPolicy(ctx.db, ctx.workspaceId, team.id)) ?? null
}
