import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './team-store.types.ts'

/** What must not lose its team: runs that have not ended, and services that alerts arrive for. */
export const selectHolding = reads.only<Sql.SelectHolding>('workspaceId, id')(`
  select
    array(
      select key from runs
      where workspace_id = :workspaceId and team_id = :id
        and phase not in ('succeeded', 'failed', 'timed_out', 'stopped')
      order by id
    ) as "runs!",
    array(
      select name from services
      where workspace_id = :workspaceId and team_id = :id and deleted_at is null
      order by name collate "und-x-icu"
    ) as "services!"`)

/** Teams whose main branch is red, since longest first. */
export const selectRedTeamsOfAllWorkspaces = reads.many<Sql.SelectRedTeamsOfAllWorkspaces>('rows')(`
  select t.workspace_id as "workspaceId", t.slug from teams t
  join workspaces w on w.id = t.workspace_id and w.deleted_at is null
  where t.main_red_since is not null and t.deleted_at is null
  order by t.main_red_since
  limit #rows`)

export const selectTeamOfStory = reads.one<Sql.SelectTeamOfStory>('workspaceId, storyId')(`
  select t.id, t.slug from stories s
  join teams t on t.workspace_id = s.workspace_id and t.id = s.team_id and t.deleted_at is null
  where s.workspace_id = :workspaceId and s.id = :storyId`)
