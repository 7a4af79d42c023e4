import type { Tx } from '../../../infra/db/db.ts'
import { type Audience, selectAudience } from './store.ts'

/** Who is told about an incident of the service, and where: members who are still in the workspace, and its places. */
export const audienceOf = (tx: Tx, workspaceId: string, id: string): Promise<Audience> =>
  selectAudience(tx, workspaceId, id)
