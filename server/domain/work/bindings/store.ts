import type { TeamBindings } from '@signalbox/contract/app/connections.ts'
import { read, type Tx, write } from '../../../infra/db/db.ts'
import { reads } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

/** Where a team's stories come from. */
export interface TeamTracker {
  teamId: string
  connectionId: string
  projectId: string
  projectKey: string
  projectName: string
  projectUrl: string | null
  mapping: Record<string, string>
  label: string | null
  boundAt: Date
}

export const selectTrackers = reads.many<Sql.SelectTrackers, TeamTracker>('workspaceId, ...filter')(`
  select team_id as "teamId", connection_id as "connectionId", project_id as "projectId",
    project_key as "projectKey", project_name as "projectName", project_url as "projectUrl", mapping, label,
    bound_at as "boundAt"
  from team_trackers
  where workspace_id = :workspaceId and team_id = :teamId`)

const taken = statement<Sql.Taken>(`
  select from team_trackers
  where workspace_id = :workspaceId and connection_id = :connectionId and project_id = :projectId
    and coalesce(label, '') = :label and team_id <> :teamId`)

const deleteTrackersOfDeletedTeamsSql = statement<Sql.DeleteTrackersOfDeletedTeams>(`
  delete from team_trackers b using teams t
  where b.workspace_id = :workspaceId and b.connection_id = :connectionId and b.project_id = :projectId
    and t.workspace_id = b.workspace_id and t.id = b.team_id and t.deleted_at is not null`)

const upsertTrackerSql = statement<Sql.UpsertTracker>(`
  insert into team_trackers (workspace_id, team_id, connection_id, project_id, project_key, project_name,
    project_url, label, bound_at)
  values (:workspaceId, :teamId, :connectionId, :projectId, :projectKey,
    :projectName, :projectUrl?, :label?, :boundAt)`)

/** False when another team has the same project with the same label. */
export async function upsertTracker(
  tx: Tx,
  workspaceId: string,
  row: Omit<TeamTracker, 'mapping'>,
): Promise<boolean> {
  const { connectionId, projectId, label, teamId } = row
  // A deleted team must not block other teams from its project.
  await write(tx, deleteTrackersOfDeletedTeamsSql, { workspaceId, connectionId, projectId })
  if (
    (await read(tx, taken, { workspaceId, connectionId, projectId, label: label ?? '', teamId })).length > 0
  )
    return false
  await write(tx, deleteTrackerSql, { workspaceId, teamId: row.teamId })
  await write(tx, upsertTrackerSql, handedIn({ ...row, workspaceId }))
  return true
}

const deleteTrackerSql = statement<Sql.DeleteTracker>(
  `delete from team_trackers where workspace_id = :workspaceId and team_id = :teamId`,
)

export async function deleteTracker(tx: Tx, workspaceId: string, teamId: string): Promise<void> {
  await write(tx, deleteTrackerSql, { workspaceId, teamId })
}

export const selectBindings = reads.one<Sql.SelectBindings, TeamBindings>('workspaceId, slug')(`
  select (
    select json_build_object(
      'connection', c.id, 'connectionName', c.name, 'kind', c.kind,
      'project', json_build_object('id', b.project_id, 'key', b.project_key, 'name', b.project_name,
        'url', b.project_url),
      'label', b.label)
    from team_trackers b
    join connections c on c.workspace_id = b.workspace_id and c.id = b.connection_id
    where b.workspace_id = t.workspace_id and b.team_id = t.id
  ) as tracker, coalesce((
    select json_agg(json_build_object('name', r.name, 'branch', r.branch, 'url', r.url, 'connection', c.id,
      'connectionName', c.name, 'kind', c.kind, 'remoteId', r.remote_id, 'inside', r.inside, 'image', r.image) order by r.name)
    from team_repositories r
    left join connections c on c.workspace_id = r.workspace_id and c.id = r.connection_id
    where r.workspace_id = t.workspace_id and r.team_id = t.id
  ), '[]') as repositories
  from teams t
  where t.workspace_id = :workspaceId and t.slug = :slug and t.deleted_at is null`)
