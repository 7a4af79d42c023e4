import type { Opening } from '@signalbox/contract/audit.ts'
import type { Db } from '../../../infra/db/db.ts'
import { openingsOf, referencesIn, type Stored } from '../audit/personal.ts'
import { referringEntries, selectPersonalByRefs } from './store.ts'

/** With what the personal values of these entries hash to what was sealed, by the ids of the entries that have any. */
export async function readOpenings(
  db: Db,
  workspaceId: string,
  entryIds: string[],
): Promise<Map<string, Opening[]>> {
  const entries = await referringEntries(db, workspaceId, entryIds)
  if (entries.length === 0) return new Map()
  const refs = referencesIn(entries.map(({ entry }) => entry))
  const salts = new Map<string, string>()
  for (const { ref, salt } of await selectPersonalByRefs(db, workspaceId, refs))
    if (salt) salts.set(ref, salt)
  return new Map(entries.map(({ id, entry }) => [id, openingsOf(JSON.parse(entry) as Stored, salts) ?? []]))
}
