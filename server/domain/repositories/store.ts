import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { Inside, TeamRepository } from '../ports/git-host.ts'

const ofTeam = statement<TeamRepository>(`
  select r.name, r.host, r.address, r.branch, r.connection_id as "connectionId", r.remote_id as "remoteId",
    r.inside, r.image
  from team_repositories r
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id
  where r.workspace_id = :workspaceId [[and r.team_id = :teamId]] [[and t.slug = :team]]
  order by r.name`)

export async function selectRepositories(
  db: Db | Tx,
  workspaceId: string,
  by: { teamId: string } | { team: string },
): Promise<readonly TeamRepository[]> {
  return read(db, ofTeam, { workspaceId, ...by })
}

/** What is known of a main branch: at which commit it was looked at, and what was found. */
export interface MainLook {
  /** Null: nobody has looked. */
  commit: string | null
  /** `kept`: a person knows that it is red, and lets merges go on until it is green. */
  state: 'green' | 'red' | 'kept' | null
}

const look = statement<MainLook>(`
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

const anotherRed = statement(`
  select from team_repositories
  where workspace_id = :workspaceId and team_id = :teamId and main_state = 'red' and name <> coalesce(:name, (
    select min(name) from team_repositories where workspace_id = :workspaceId and team_id = :teamId))
  limit 1`)

export async function selectIsAnotherRed(
  db: Db | Tx,
  workspaceId: string,
  teamId: string,
  name: string | null,
): Promise<boolean> {
  return (await read(db, anotherRed, { workspaceId, teamId, name })).length > 0
}

export async function updateMainLook(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  name: string | null,
  { commit, state }: { commit: string | null; state: 'green' | 'red' | 'kept' },
): Promise<void> {
  await sql`
    update team_repositories set main_commit = coalesce(${commit}, main_commit),
      main_state = case when main_state = 'kept' and ${state} = 'red' then 'kept' else ${state} end
    where workspace_id = ${workspaceId} and team_id = ${teamId}
      and name = coalesce(${name}, (
        select min(name) from team_repositories where workspace_id = ${workspaceId} and team_id = ${teamId}))
  `.execute(tx)
}

const teamsOf = statement<{ id: string; slug: string; name: string; branch: string; repository: string }>(`
  select t.id, t.slug, t.name, r.branch, r.name as repository
  from team_repositories r
  join teams t on t.workspace_id = r.workspace_id and t.id = r.team_id and t.deleted_at is null
  where r.workspace_id = :workspaceId and r.connection_id = :connectionId and r.remote_id = :remoteId
  order by t.slug`)

export async function selectTeamsOfRepository(
  db: Db,
  workspaceId: string,
  connectionId: string,
  remoteId: string,
) {
  return read(db, teamsOf, { workspaceId, connectionId, remoteId })
}

export async function insertRepository(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  repository: TeamRepository & { url?: string | null },
): Promise<void> {
  const { name, host, address, branch, connectionId, remoteId, url } = repository
  const { inside = 'tools', image = null } = repository
  await sql`
    insert into team_repositories (workspace_id, team_id, name, host, address, branch, connection_id, remote_id, url,
      inside, image)
    values (${workspaceId}, ${teamId}, ${name}, ${host}, ${address}, ${branch}, ${connectionId}, ${remoteId}, ${url},
      ${inside}, ${image})
  `.execute(tx)
}

export async function updateInside(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  { name, inside, image }: { name: string; inside: Inside; image: string | null },
): Promise<void> {
  await sql`
    update team_repositories set inside = ${inside}, image = ${image}
    where workspace_id = ${workspaceId} and team_id = ${teamId} and name = ${name}
  `.execute(tx)
}

export async function deleteRepositories(tx: Tx, workspaceId: string, teamId: string): Promise<void> {
  await sql`
    delete from team_repositories where workspace_id = ${workspaceId} and team_id = ${teamId}
  `.execute(tx)
}
