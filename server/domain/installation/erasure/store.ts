import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectMemberEmail = reads.value<Sql.SelectMemberEmail>('workspaceId, personId')(`
  select p.email from memberships m join people p on p.id = m.person_id
  where m.workspace_id = :workspaceId and m.person_id = :personId`)

export const selectOtherWorkspaces = reads.exists<Sql.SelectOtherWorkspaces>('workspaceId, personId')(`
  select from memberships m join workspaces w on w.id = m.workspace_id and w.deleted_at is null
  where m.person_id = :personId and m.workspace_id <> :workspaceId`)
