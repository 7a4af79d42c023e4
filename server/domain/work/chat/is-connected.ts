import type { Context } from '../../context.ts'
import { selectHasChat } from './store.ts'

/** Whether the workspace has an account at a chat tool. */
export const isChatConnected = (ctx: Context): Promise<boolean> => selectHasChat(ctx.db, ctx.workspaceId)
