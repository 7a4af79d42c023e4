import type { Context } from '../../context.ts'
import { selectPlaceIn } from './store.ts'

/** The place that a channel is for a team; null: the team does not post there. */
export const findPlace = async (
  ctx: Context,
  where: { team: string; connection: string; channel: string },
): Promise<string | null> => (await selectPlaceIn(ctx.db, ctx.workspaceId, where)) ?? null
