import type { Db } from '../../../infra/db/db.ts'
import { selectWorkspaceById } from './store.ts'

/** Under which name its pages are found. */
export async function readWorkspaceSlug(db: Db, workspaceId: string): Promise<string> {
  return (await selectWorkspaceById(db, workspaceId))!.slug
}
