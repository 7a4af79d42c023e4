import type { Db } from '../../../infra/db/db.ts'
import { DomainError } from '../../errors.ts'
import { selectWorkspaceBySlug } from './store.ts'

export async function findWorkspace(db: Db, slug: string) {
  const workspace = await selectWorkspaceBySlug(db, slug)
  if (!workspace) throw new DomainError('not_found', `There is no workspace ${slug}.`)
  return workspace
}
