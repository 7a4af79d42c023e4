import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import { selectFilesRemovedAt } from './old-store.ts'

/** When files of a run were removed because of their age; null: none were. */
export async function filesRemovedAt(
  ctx: Pick<Context, 'workspaceId'> & { db: Parameters<typeof selectFilesRemovedAt>[0] },
  key: string,
): Promise<Date | null> {
  const found = await selectFilesRemovedAt(ctx.db, ctx.workspaceId, key)
  if (!found) throw notFound('run', key)
  return found.removedAt
}
