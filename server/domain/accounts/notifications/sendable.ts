import type { Context } from '../../context.ts'
import { type Sendable, selectSendable } from './store.ts'

/** What could not be sent for so long is old. */
const dayMs = 86_400_000

/** A notification while it is worth sending: not read yet, and its person still in the workspace. */
export const sendableOf = (ctx: Context, id: string): Promise<Sendable | undefined> =>
  selectSendable(ctx.db, ctx.workspaceId, id, new Date(ctx.clock.now().getTime() - dayMs))
