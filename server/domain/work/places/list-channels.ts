import type { Channel } from '@signalbox/contract/app/chat.ts'
import type { Context } from '../../context.ts'
import { requireTeam } from '../teams/read.ts'
import { selectChannels } from './store.ts'

/** The channels of a team, with the account that posts there. */
export async function listChannels(ctx: Context, team: string): Promise<readonly Channel[]> {
  await requireTeam(ctx, team)
  return selectChannels(ctx.db, ctx.workspaceId, team)
}
