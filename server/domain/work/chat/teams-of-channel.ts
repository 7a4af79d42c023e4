import type { Context } from '../../context.ts'
import { selectTeamsOfChannel } from './store.ts'

/** The teams whose place a channel is. */
export const teamsOfChannel = (ctx: Context, connectionId: string, channel: string): Promise<string[]> =>
  selectTeamsOfChannel(ctx.db, ctx.workspaceId, connectionId, channel)
