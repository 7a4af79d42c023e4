import type { Db, Tx } from '../../../infra/db/db.ts'
import { type Member, selectMember } from './store.ts'

/** A person of the workspace, by id; undefined for everyone else. */
export function findMember(db: Db, workspaceId: string, personId: string): Promise<Member | undefined> {
  return selectMember(db, workspaceId, { id: personId })
}

export function findMemberByEmail(
  db: Db | Tx,
  workspaceId: string,
  email: string,
): Promise<Member | undefined> {
  return selectMember(db, workspaceId, { email })
}
