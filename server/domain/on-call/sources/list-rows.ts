import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { type StoredSourceRow, selectSourceRows } from './store.ts'

/** Sources with their last delivery, newest first: all, or those that feed a service. */
export const listSourceRows = (ctx: Context, filter: { service?: string }): Promise<StoredSourceRow[]> =>
  selectSourceRows(ctx.db, ctx.workspaceId, filter)

export async function readSourceRow(ctx: Context, id: string): Promise<StoredSourceRow> {
  const [source] = await selectSourceRows(ctx.db, ctx.workspaceId, { id })
  if (!source) throw notFound('source', id)
  return source
}
