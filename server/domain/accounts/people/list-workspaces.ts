import type { Role } from '@signalbox/contract/roles.ts'
import type { Db } from '../../../infra/db/db.ts'
import { selectWorkspacesOf } from './store.ts'

/** The workspaces a person may enter, by name. */
export async function listWorkspacesOf(
  db: Db,
  personId: string,
): Promise<{ slug: string; name: string; role: Role; isFirst: boolean }[]> {
  return [...(await selectWorkspacesOf(db, personId))]
}
