import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

export const selectAllWorkspaces = reads.many<Sql.SelectAllWorkspaces>()(
  'select id, slug, name from workspaces order by id',
)
