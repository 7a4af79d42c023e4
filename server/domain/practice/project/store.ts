import type { Practice } from '@signalbox/contract/app/practice.ts'
import { affected, type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import { connectedRunner } from '../../engine/orders/connected-runner.ts'
import { openPhases } from '../../work/runs/phase.ts'
import type * as Sql from './store.types.ts'

export interface NewProject {
  personId: string
  folder: string
  teamId: string
  storyId: string
  serviceId: string
  sourceId: string
  at: Date
}

const insertProjectSql = statement<Sql.InsertProject>(`
  insert into practice_projects (workspace_id, person_id, folder, team_id, story_id, service_id, source_id, made_at)
  values (:workspaceId, :personId, :folder, :teamId, :storyId, :serviceId, :sourceId, :at)
  on conflict do nothing`)

/** False: there is one already. */
export async function insertProject(tx: Tx, workspaceId: string, project: NewProject): Promise<boolean> {
  return (await affected(tx, insertProjectSql, handedIn({ ...project, workspaceId }))) === 1
}

const freeNames = statement<Sql.FreeNames>(`
  select n as "number!", case when exists (
      select from services s where s.workspace_id = :workspaceId and s.name = :service and s.deleted_at is null
    ) then :service || ' ' || n else :service end as "service!"
  from generate_series(1, 1000) n
  where not exists (
    select from teams t where t.workspace_id = :workspaceId
      and (t.slug = case when n = 1 then 'practice' else 'practice-' || n end
        or t.key_prefix = case when n = 1 then 'TRY' else 'TRY' || n end))
  order by n
  limit 1`)

/** The first number that no team has, or had, and a name for the service. */
export async function selectFreeNames(
  tx: Tx,
  workspaceId: string,
  service: string,
): Promise<{ number: number; service: string }> {
  return (await read(tx, freeNames, { workspaceId, service }))[0]!
}

const project = statement<Sql.Project>(`
  select p.folder, p.person_id as "personId", p.team_id as "teamId", t.slug as team, p.service_id as "serviceId",
    p.source_id as "sourceId", p.token_id as "tokenId"
  from practice_projects p
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id
  where p.workspace_id = :workspaceId`)

const markRemovingSql = statement<Sql.MarkRemoving>(`
  update practice_projects set removing_at = coalesce(removing_at, :at) where workspace_id = :workspaceId`)

/** From here on its runner is not started again. */
export async function markRemoving(tx: Tx, workspaceId: string, at: Date): Promise<void> {
  await write(tx, markRemovingSql, { workspaceId, at })
}

export async function selectProject(db: Db | Tx, workspaceId: string) {
  return (await read(db, project, { workspaceId }))[0]
}

export interface Progress {
  startedBy: string
  startedAt: string
  team: string
  storyKey: string
  storyTitle: string
  serviceId: string
  service: string
  sourceId: string
  trouble: string | null
  isBeingRemoved: boolean
  alertedAt: Date | null
  runnerOnline: boolean
  run: Practice['run']
  isMerged: boolean
  decision: Practice['decision']
  incident: Practice['incident']
  /** What was answered with a revert, and whether its pull request was opened. */
  revert: { isDone: boolean } | null
}

const progress = statement<Sql.Progress, Progress>(`
  select who.name as "startedBy", iso(p.made_at) as "startedAt", t.slug as team, s.key as "storyKey",
    s.title as "storyTitle", p.service_id as "serviceId", v.name as service, p.source_id as "sourceId", p.trouble,
    p.removing_at is not null as "isBeingRemoved!", p.alerted_at as "alertedAt",
    exists (select from ${connectedRunner} where w.workspace_id = p.workspace_id and w.token_id = p.token_id)
      as "runnerOnline!",
    (select json_build_object('key', r.key, 'status', a.status, 'stage', a.stage)
      from runs r
      join attempts a on a.workspace_id = r.workspace_id and a.run_id = r.id and a.attempt = r.attempts
      where r.workspace_id = p.workspace_id and r.story_id = p.story_id order by r.id desc limit 1) as run,
    exists (select from runs r join run_events e on e.run_id = r.id and e.type = 'merged'
      where r.workspace_id = p.workspace_id and r.story_id = p.story_id) as "isMerged!",
    (select json_build_object('key', d.key, 'kind', d.kind) from decisions d
      where d.workspace_id = p.workspace_id and d.team_id = p.team_id and d.status = 'pending'
      order by d.id limit 1) as decision,
    (select json_build_object('key', i.key, 'status', i.status, 'isInvestigated', i.finding is not null)
      from incidents i where i.workspace_id = p.workspace_id and i.service_id = p.service_id
      order by i.id desc limit 1) as incident,
    (select json_build_object('isDone', exists (
        select from incident_events e where e.workspace_id = d.workspace_id and e.incident_id = d.incident_id
          and e.type in ('revert_opened', 'revert_not_opened')))
      from decisions d
      where d.workspace_id = p.workspace_id and d.team_id = p.team_id and d.kind = 'revert_approval'
        and d.status = 'resolved' order by d.id desc limit 1) as revert
  from practice_projects p
  join people who on who.id = p.person_id
  join teams t on t.workspace_id = p.workspace_id and t.id = p.team_id
  join stories s on s.workspace_id = p.workspace_id and s.id = p.story_id
  join services v on v.workspace_id = p.workspace_id and v.id = p.service_id
  where p.workspace_id = :workspaceId`)

export async function selectProgress(db: Db, workspaceId: string, now: Date): Promise<Progress | undefined> {
  return (await read(db, progress, { workspaceId, now }))[0]
}

const markAlertedSql = statement<Sql.MarkAlerted>(`
  update practice_projects set alerted_at = :at where workspace_id = :workspaceId`)

export async function markAlerted(tx: Tx, workspaceId: string, at: Date): Promise<void> {
  await write(tx, markAlertedSql, { workspaceId, at })
}

export interface LeasedProject {
  workspaceId: string
  personId: string
  folder: string
  tokenId: string | null
}

const leaseSql = statement<Sql.Lease>(`
  update practice_projects set held_by = :node, held_until = :until
  where folder = any(:folders) and removing_at is null and (held_by = :node or held_until is null or held_until <= :now)
  returning workspace_id as "workspaceId", person_id as "personId", folder, token_id as "tokenId"`)

/** Those whose runner this process keeps from now until then: their folder is here, and no other keeps it. */
export async function leaseProjectsOfAllWorkspaces(
  tx: Tx,
  given: { node: string; folders: string[]; now: Date; until: Date },
): Promise<readonly LeasedProject[]> {
  return write(tx, leaseSql, given)
}

const foldersInUse = statement<Sql.FoldersInUse>(`
  select folder from practice_projects where folder = any(:folders)`)

/** Of these folders, those that a project still has. */
export async function selectFoldersInUseOfAllWorkspaces(db: Db, folders: string[]): Promise<string[]> {
  return (await read(db, foldersInUse, { folders })).map(({ folder }) => folder)
}

const releaseSql = statement<Sql.Release>(`
  update practice_projects set held_by = null, held_until = null where held_by = :node`)

/** Frees them so that the next process takes over immediately. */
export async function releaseProjectsOfAllWorkspaces(tx: Tx, node: string): Promise<void> {
  await write(tx, releaseSql, { node })
}

const noteRunnerSql = statement<Sql.NoteRunner>(`
  update practice_projects p set token_id = :tokenId, trouble = null, runner_id = coalesce((
    select r.id from runners r where r.workspace_id = p.workspace_id and r.token_id = p.token_id
      and r.forgotten_at is null limit 1), p.runner_id)
  where p.workspace_id = :workspaceId and p.removing_at is null`)

/** False: the project is being removed. */
export async function noteRunner(tx: Tx, workspaceId: string, tokenId: string): Promise<boolean> {
  return (await affected(tx, noteRunnerSql, { workspaceId, tokenId })) === 1
}

const noteTroubleSql = statement<Sql.NoteTrouble>(`
  update practice_projects set trouble = :trouble where workspace_id = :workspaceId`)

export async function noteTrouble(tx: Tx, workspaceId: string, trouble: string): Promise<void> {
  await write(tx, noteTroubleSql, { workspaceId, trouble })
}

const hideTokenSql = statement<Sql.HideToken>(`
  update api_tokens set hidden = true where workspace_id = :workspaceId and id = :tokenId and revoked_at is not null`)

/** One that lives is always listed. */
export async function hideToken(tx: Tx, workspaceId: string, tokenId: string): Promise<void> {
  await write(tx, hideTokenSql, { workspaceId, tokenId })
}

const runnersOf = statement<Sql.RunnersOf>(`
  select r.id, r.state from runners r
  join practice_projects p on p.workspace_id = r.workspace_id
  where r.workspace_id = :workspaceId and (r.token_id = p.token_id or r.id = p.runner_id) and r.forgotten_at is null`)

/** Found by token, which no other runner has: what a runner says about itself proves nothing. */
export async function selectPracticeRunners(db: Db, workspaceId: string) {
  return read(db, runnersOf, { workspaceId })
}

const openOf = statement<Sql.OpenOf>(`
  select
    coalesce((select array_agg(r.key) from runs r where r.workspace_id = p.workspace_id and r.team_id = p.team_id
      and r.phase = any(:phases)), '{}') as "runs!",
    coalesce((select array_agg(i.key) from incidents i where i.workspace_id = p.workspace_id
      and i.service_id = p.service_id and i.status = 'open'), '{}') as "incidents!"
  from practice_projects p
  where p.workspace_id = :workspaceId`)

/** What of it still goes on. */
export async function selectOpen(db: Db, workspaceId: string) {
  return (await read(db, openOf, { workspaceId, phases: openPhases }))[0]
}

const hideRuns = statement<Sql.HideRuns>(`
  update runs set hidden = true where workspace_id = :workspaceId and team_id = :teamId`)
const hideDecisions = statement<Sql.HideDecisions>(`
  update decisions set hidden = true where workspace_id = :workspaceId and team_id = :teamId`)
const hideIncidents = statement<Sql.HideIncidents>(`
  update incidents set hidden = true where workspace_id = :workspaceId and team_id = :teamId`)
const hideTeam = statement<Sql.HideTeam>(`
  update teams set hidden = true where workspace_id = :workspaceId and id = :teamId`)
const deleteNotifications = statement<Sql.DeleteNotifications>(`
  delete from notifications n where n.workspace_id = :workspaceId and n.thing in (
    select key from runs where workspace_id = :workspaceId and team_id = :teamId
    union all select key from decisions where workspace_id = :workspaceId and team_id = :teamId
    union all select key from incidents where workspace_id = :workspaceId and team_id = :teamId)`)
const deleteProjectSql = statement<Sql.DeleteProject>(`
  delete from practice_projects where workspace_id = :workspaceId`)

/** Takes what the team has done out of every list, and forgets the project. */
export async function hideProject(tx: Tx, workspaceId: string, teamId: string): Promise<void> {
  await write(tx, hideRuns, { workspaceId, teamId })
  await write(tx, hideDecisions, { workspaceId, teamId })
  await write(tx, hideIncidents, { workspaceId, teamId })
  await write(tx, hideTeam, { workspaceId, teamId })
  await write(tx, deleteNotifications, { workspaceId, teamId })
  await write(tx, deleteProjectSql, { workspaceId })
}
