import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

export interface TeamRepository {
  /** As people know it: `halden/checkout-web`. */
  name: string
  /** Where git finds it. */
  address: string
  branch: string
  host: string
}

const ofTeam = statement<TeamRepository>(`
  select name, address, branch, host from team_repositories
  where workspace_id = :workspaceId and team_id = :teamId
  order by name
  limit 1`)

export async function selectTeamRepository(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
): Promise<TeamRepository | undefined> {
  return (await read(db, ofTeam, { workspaceId, teamId }))[0]
}
