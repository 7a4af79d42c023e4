import { isAtLeast, type Role, roles } from '@signalbox/contract/roles.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { selectMembersOfRoles } from './store.ts'

/** Ids of everybody who has the role, or a higher one. */
export const membersAtLeast = (tx: Tx, workspaceId: string, role: Role): Promise<string[]> =>
  selectMembersOfRoles(
    tx,
    workspaceId,
    roles.filter((one) => isAtLeast(one, role)),
  )
