import type { Context } from '../../context.ts'
import { selectAllPlaces } from './store.ts'

/** The chat places of all teams whose connection is still there, with the channel as the tool knows it. */
export const listAllPlaces = (ctx: Context) => selectAllPlaces(ctx.db, ctx.workspaceId)
