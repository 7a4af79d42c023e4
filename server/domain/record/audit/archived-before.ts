import type { Db } from '../../../infra/db/db.ts'
import { timeOfId } from '../../../infra/ids.ts'
import type { EntryFilter } from './filter.ts'
import { monthAfter } from './month.ts'
import { newestArchivedMonth } from './store.ts'

/** Entries from before then are in files and no longer here; null: none are, or the filter does not reach that far. */
export async function archivedBefore(
  db: Db,
  workspaceId: string,
  { fromId }: Pick<EntryFilter, 'fromId'> = {},
): Promise<Date | null> {
  const month = await newestArchivedMonth(db, workspaceId)
  if (month === undefined) return null
  const archived = monthAfter(month, 1)
  return fromId === undefined || timeOfId(fromId) < archived ? archived : null
}
