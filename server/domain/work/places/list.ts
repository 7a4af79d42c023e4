import type { Place } from '@signalbox/contract/app/services.ts'
import type { Context } from '../../context.ts'
import { selectPlaces } from './store.ts'

/** The chat places of a team, by name. */
export const listPlaces = (ctx: Context, team: string): Promise<readonly Place[]> =>
  selectPlaces(ctx.db, ctx.workspaceId, team)
