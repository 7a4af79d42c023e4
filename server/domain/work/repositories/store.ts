import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type { Inside, TeamRepository } from '../../ports/git-host.ts'
import type * as Sql from './store.types.ts'

export const selectRepositories = reads.many<
  Sql.SelectRepositories,
  TeamRepository,
  { teamId: string } | { team: string }
>('workspaceId, ...by')(`
  select r.name, r.host, r.address, r.branch, r.connection_id as "connectionId", r.remote_id as "remoteId",
    r.inside, r.image
  from team_repositories r
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  where r.workspace_id = :workspaceId [[and r.team_id = :teamId]] [[and t.slug = :team]]
  order by r.name`)

/** What is known of a main branch: at which commit it was looked at, and what was found. */
export interface MainLook {
  /** Null: it has not been checked. */
  commit: string | null
  /** `kept`: a person knows that it is red, and lets merges go on until it is green. */
  state: 'green' | 'red' | 'kept' | null
}

const look = statement<Sql.Look, MainLook>(`
  select main_commit as commit, main_state as state
  from team_repositories
  where workspace_id = :workspaceId and team_id = :teamId [[and name = :name]]
  order by name
  limit 1`)

export async function selectMainLook(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  name: string | null,
): Promise<MainLook | undefined> {
  return (await read(db, look, { workspaceId, teamId, ...(name === null ? {} : { name }) }))[0]
}

export const selectIsAnotherRed = reads.exists<Sql.SelectIsAnotherRed>('workspaceId, teamId, name')(`
  select from team_repositories
  where workspace_id = :workspaceId and team_id = :teamId and main_state = 'red' and name <> coalesce(:name?, (
    select min(name) from team_repositories where workspace_id = :workspaceId and team_id = :teamId))
  limit 1`)

export const updateMainLook = writes.run<Sql.UpdateMainLook, Nothing, { state: 'green' | 'red' | 'kept' }>(
  'workspaceId, teamId, name, { commit, state }',
)(`
  update team_repositories set main_commit = coalesce(:commit?, main_commit),
    main_state = case when main_state = 'kept' and :state = 'red' then 'kept' else :state end
  where workspace_id = :workspaceId and team_id = :teamId
    and name = coalesce(:name?, (
      select min(name) from team_repositories where workspace_id = :workspaceId and team_id = :teamId))`)

export const selectTeamsOfRepository = reads.many<Sql.SelectTeamsOfRepository>(
  'workspaceId, connectionId, remoteId',
)(`
  select t.id, t.slug, t.name, r.branch, r.name as repository
  from team_repositories r
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id and t.deleted_at is null
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.remote_id = :remoteId
  order by t.slug`)

const insertRepositorySql = statement<Sql.InsertRepository>(`
  insert into team_repositories (workspace_id, team_id, name, host, address, branch, connection_id, remote_id, url,
    inside, image)
  values (:workspaceId, :teamId, :name, :host, :address, :branch, :connectionId?, :remoteId?, :url?,
    :inside, :image?)`)

export async function insertRepository(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  repository: TeamRepository & { url?: string | null },
): Promise<void> {
  const { name, host, address, branch, connectionId, remoteId, url } = repository
  const { inside = 'tools', image = null } = repository
  await write(tx, insertRepositorySql, {
    workspaceId,
    teamId,
    name,
    host,
    address,
    branch,
    connectionId,
    remoteId,
    url,
    inside,
    image,
  })
}

export const updateInside = writes.run<Sql.UpdateInside, Nothing, { inside: Inside }>(
  'workspaceId, teamId, { name, inside, image }',
)(`
  update team_repositories set inside = :inside, image = :image?
  where workspace_id = :workspaceId and team_id = :teamId and name = :name`)

export const deleteRepositories = writes.run<Sql.DeleteRepositories>('workspaceId, teamId, kept')(`
  delete from team_repositories
  where workspace_id = :workspaceId and team_id = :teamId and name <> all (:kept::text[])`)
