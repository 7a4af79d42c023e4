import type { Db } from '../../../infra/db/db.ts'
import { referenceOf, referencesIn } from '../audit/personal.ts'
import { named } from './check-entry.ts'
import { type LeafWithEntry, selectPersonalByRefs } from './store.ts'

/** What is wrong with the personal values that these entries refer to. One that was erased is known to be gone. */
export async function checkPersonal(
  db: Db,
  workspaceId: string,
  leaves: readonly LeafWithEntry[],
): Promise<string[]> {
  const texts = leaves.flatMap(({ entry }) => entry ?? [])
  const refs = referencesIn(texts)
  if (refs.length === 0) return []
  const found = new Map((await selectPersonalByRefs(db, workspaceId, refs)).map((row) => [row.ref, row]))
  const wrong = new Map<string, string>()
  for (const ref of refs) {
    const stored = found.get(ref)
    if (!stored) wrong.set(ref, 'was deleted, and no erasure is known')
    else if (stored.salt !== null && referenceOf(stored.salt, stored.value ?? '') !== ref)
      wrong.set(ref, 'was changed: it is not what the entry refers to')
  }
  if (wrong.size === 0) return []
  return leaves.flatMap(({ entry, entry_id, position }) =>
    referencesIn(entry === null ? [] : [entry]).flatMap((ref) =>
      wrong.has(ref)
        ? [`A personal value of entry ${named(entry_id)} at position ${position} ${wrong.get(ref)}.`]
        : [],
    ),
  )
}
