import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const holding = statement<{ runs: string[]; services: string[] }>(`
  select
    array(
      select key from runs
      where workspace_id = :workspaceId and team_id = :id
        and phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
      order by id
    ) as runs,
    array(
      select name from services
      where workspace_id = :workspaceId and team_id = :id and deleted_at is null
      order by name collate "und-x-icu"
    ) as services`)

/** What must not lose its team: runs that have not ended, and services that alerts arrive for. */
export async function selectHolding(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<{ runs: string[]; services: string[] }> {
  return (await read(tx, holding, { workspaceId, id }))[0]!
}

const redTeams = statement<{ workspaceId: string; slug: string }>(`
  select t.workspace_id as "workspaceId", t.slug from teams t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  where t.main_red_since is not null and t.deleted_at is null
  order by t.main_red_since
  limit #rows`)

/** Teams whose main branch is red, since longest first. */
export async function selectRedTeamsOfAllWorkspaces(db: Db, most: number) {
  return read(db, redTeams, { rows: most })
}

const ofStory = statement<{ id: string; slug: string }>(`
  select t.id, t.slug from stories s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id and t.deleted_at is null
  where s.workspace_id = :workspaceId and s.id = :storyId`)

export async function selectTeamOfStory(
  tx: Tx,
  workspaceId: string,
  storyId: string,
): Promise<{ id: string; slug: string } | undefined> {
  return (await read(tx, ofStory, { workspaceId, storyId }))[0]
}
