import type { Context } from '../../context.ts'
import { selectPagers } from './store.ts'

/** The sources of paging tools, and whether alerts can be updated in them. */
export const listPagingSources = (ctx: Context) => selectPagers(ctx.db, ctx.workspaceId)
