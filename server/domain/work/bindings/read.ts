import type { TeamBindings } from '@signalbox/contract/app/connections.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectBindings } from './store.ts'

/** What a team uses of the workspace's connections, for people. */
export async function readBindings(ctx: Context, slug: string): Promise<TeamBindings> {
  const found = await selectBindings(ctx.db, ctx.workspaceId, slug)
  if (!found) throw notFound('team', slug)
  return found
}
