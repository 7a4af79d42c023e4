import type { Context } from '../../context.ts'
import { selectMarks } from './store.ts'

/** Everything that a file manages, with what it said of each when it was applied last. */
export const listMarks = (ctx: Context) => selectMarks(ctx.db, ctx.workspaceId)
