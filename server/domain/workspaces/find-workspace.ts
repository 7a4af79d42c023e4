import type { Db } from '../../infra/db/db.ts'
import { DomainError } from '../errors.ts'
import { selectWorkspace } from './store.ts'

export async function findWorkspace(db: Db, slug: string) {
  const workspace = await selectWorkspace(db, slug)
  if (!workspace) throw new DomainError('not_found', `There is no workspace ${slug}.`)
  return workspace
}
