import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import {
  ephemeralFeature,
  type Isolation,
  type Register,
  type RunnerExecutor,
  type RunnerGit,
} from '@signalbox/contract/runner/messages.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import { lastProgress } from '../../work/runs/last-progress.ts'
import { connectedRunner, isListed } from '../orders/connected-runner.ts'
import type * as Sql from './store.types.ts'

export type RunnerState = 'pending' | 'active' | 'paused' | 'draining' | 'removed'

export interface LockedRunner {
  id: string
  name: string
  session: number
  boot: string
  state: RunnerState
  tokenId: string
  /** What its instance belongs to. */
  evidenceKey: string
  registrations: number
  teamIds: string[]
  lastSeenAt: Date
  leftAt: Date | null
  /** Its token lives, it has not signed off and was not removed. */
  isConnected: boolean
}

const lock = statement<Sql.Lock>(`
  select from runners
  where workspace_id = :workspaceId [[and id = :id]] [[and instance = :instance]] and forgotten_at is null
  for no key update`)

const locked = statement<Sql.Locked, LockedRunner>(`
  select r.id, r.name, r.session, r.boot, r.state, r.token_id as "tokenId", r.evidence_key as "evidenceKey",
    r.registrations, r.team_ids as "teamIds", r.last_seen_at as "lastSeenAt", r.left_at as "leftAt",
    exists (select from ${connectedRunner} where w.id = r.id) as "isConnected!"
  from runners r
  where r.workspace_id = :workspaceId [[and r.id = :id]] [[and r.instance = :instance]]
    and r.forgotten_at is null`)

/** Holds a runner for the length of the transaction; before anything that it works on. */
export async function lockRunner(
  tx: Tx,
  workspaceId: string,
  by: { id: string } | { instance: string },
  now: Date,
): Promise<LockedRunner | undefined> {
  await write(tx, lock, handedIn({ ...by, workspaceId }))
  return (await read(tx, locked, handedIn({ ...by, workspaceId, now })))[0]
}

const registrations = statement<Sql.Registrations>(`
  select registrations from runners
  where workspace_id = :workspaceId and instance = :instance and forgotten_at is null`)

/** How often an instance has registered; one that is not known has not. */
export async function selectRegistrations(db: Db, workspaceId: string, instance: string): Promise<number> {
  return (await read(db, registrations, { workspaceId, instance }))[0]?.registrations ?? 0
}

const runnersLock = 4412

/** Runners of a workspace are let in one after the other, until the end of the transaction. */
export const lockRunnersOf = writes.run<Sql.LockRunnersOf>('workspaceId')(`
  select pg_advisory_xact_lock(${runnersLock}, hashtext(:workspaceId))`)

export const countRunners = reads.only<Sql.CountRunners>('workspaceId, tokenId')(`
  select count(*)::int as "ofWorkspace", (count(*) filter (where r.token_id = :tokenId))::int as "ofToken"
  from runners r where r.workspace_id = :workspaceId and r.state <> 'removed' and ${isListed}`)

/** False: they were told about it since then. */
export const markRefused = writes.wroteOne<Sql.MarkRefused>('workspaceId, id, { at, since }')(`
  update runners set refused_at = :at
  where workspace_id = :workspaceId and id = :id and (refused_at is null or refused_at <= :since)`)

/** Whose token it is, or whose a runner came with last. */
export const selectTokenOwner = reads.only<
  Sql.SelectTokenOwner,
  Nothing,
  { tokenId: string } | { runnerId: string }
>('workspaceId, ...of')(`
  select k.person_id as "personId", p.name as owner, k.name, k.prefix, exists (
      select from memberships m where m.workspace_id = k.workspace_id and m.person_id = k.person_id
    ) as "isMember"
  from api_tokens k
  join people p on p.id = k.person_id
  where k.workspace_id = :workspaceId [[and k.id = :tokenId]]
    [[and k.id = (select token_id from runners where workspace_id = :workspaceId and id = :runnerId)]]`)

/** What of a runner is written at each register. */
export interface Registration extends Omit<Register, 'protocol' | 'holds' | 'proof'> {
  tokenId: string
  state: RunnerState
  at: Date
}

/** A new one; false when another request has just made one with that instance. */
export const insertRunner = writes.wroteOne<Sql.InsertRunner, Nothing, Registration>(
  'workspaceId, id, ...runner',
)(`
  insert into runners (id, workspace_id, instance, name, version, os, arch, slots, labels, features, executors,
    isolation, git, evidence_key, token_id, session, boot, state, free, last_seen_at, made_at)
  values (:id, :workspaceId, :instance, :name, :version, :os, :arch, :slots, :labels, :features, :{executors},
    :{isolation}, :{git}?, :evidenceKey, :tokenId, nextval('runner_sessions'), :boot, :state, :slots, :at, :at)
  on conflict (workspace_id, instance) where forgotten_at is null do nothing`)

const updateRegistrationSql = statement<Sql.UpdateRegistration>(`
  update runners set name = :name, version = :version, os = :os, arch = :arch,
    slots = :slots, labels = :labels, features = :features,
    executors = :executors, isolation = :isolation, git = :git?,
    token_id = :tokenId, boot = :boot, registrations = registrations + 1,
    session = case when :isNewStart then nextval('runner_sessions') else session end,
    told = case when :isNewStart then null else told end, drains = false,
    state = :state, last_seen_at = :at, left_at = null
  where workspace_id = :workspaceId and id = :id`)

/** The same runner again, with the same key. A new start gets a session of its own. */
export async function updateRegistration(
  tx: Tx,
  workspaceId: string,
  id: string,
  runner: Registration,
  isNewStart: boolean,
): Promise<void> {
  const { name, version, os, arch, slots, labels, features, tokenId, boot, state, at } = runner
  await write(tx, updateRegistrationSql, {
    ...{
      workspaceId,
      id,
      name,
      version,
      os,
      arch,
      slots,
      labels,
      features,
      tokenId,
      boot,
      state,
      at,
      isNewStart,
    },
    executors: JSON.stringify(runner.executors),
    isolation: JSON.stringify(runner.isolation),
    git: runner.git ? JSON.stringify(runner.git) : null,
  })
}

/** A session, as the runner that speaks under it is known in memory. */
export interface KnownSession {
  session: number
  runnerId: string
  workspaceId: string
  tokenId: string
  name: string
  state: RunnerState
  told: 'pause' | 'drain' | null
  slots: number
  features: string[]
  executors: RunnerExecutor[]
  isolation: Isolation
  git: RunnerGit | null
  labels: string[]
  teamIds: string[]
}

export const selectBySession = reads.one<Sql.SelectBySession, KnownSession>('session')(`
  select session, id as "runnerId", workspace_id as "workspaceId", token_id as "tokenId", name, state, told, slots,
    features, executors, isolation, git, labels, team_ids as "teamIds"
  from runners
  where session = :session and state <> 'removed' and left_at is null`)

/** Whether a runner may still speak: its token lives, it has not signed off and was not removed. */
export const isConnected = reads.exists<Sql.IsConnected>('workspaceId, id, now')(`
  select w.id from ${connectedRunner} where w.workspace_id = :workspaceId and w.id = :id`)

export const updateState = writes.run<Sql.UpdateState, Nothing, { state: RunnerState }>(
  'workspaceId, id, state',
)(`update runners set state = :state where workspace_id = :workspaceId and id = :id`)

/** A machine that connects with its instance from now on is another runner. */
export const markForgotten = writes.run<Sql.MarkForgotten>('workspaceId, id, at')(`
  update runners set forgotten_at = :at where workspace_id = :workspaceId and id = :id`)

export const selectTeamIds = reads.many<Sql.SelectTeamIds>('workspaceId, slugs')(`
  select id, slug from teams where workspace_id = :workspaceId and slug = any(:slugs) and deleted_at is null`)

export const updateTeams = writes.run<Sql.UpdateTeams>('workspaceId, id, teamIds')(`
  update runners set team_ids = :teamIds::uuid[] where workspace_id = :workspaceId and id = :id`)

export const updateTold = writes.run<Sql.UpdateTold, Nothing, { told: KnownSession['told'] }>(
  'workspaceId, session, told',
)(`
  update runners set told = :told? where workspace_id = :workspaceId and session = :session`)

export const markLeft = writes.run<Sql.MarkLeft>('workspaceId, id, at')(`
  update runners set left_at = :at, last_seen_at = :at where workspace_id = :workspaceId and id = :id`)

/** When a session was last seen, and what it said of itself. */
export interface Sign {
  session: number
  at: Date
  free?: number
  diskFree?: number | null
  drains?: boolean
}

/** Only ever forward: several nodes may hear from the same runner. */
export const noteSignsOfAllWorkspaces = writes.run<
  Sql.NoteSignsOfAllWorkspaces,
  Nothing,
  { signs: readonly Sign[] }
>('signs')(`
  update runners r set last_seen_at = greatest(r.last_seen_at, s.at), free = coalesce(s.free, r.free),
    disk_free = coalesce(s."diskFree", r.disk_free), drains = coalesce(s.drains, r.drains)
  from json_to_recordset(:{signs}::json)
    as s (session bigint, at timestamptz, free int, "diskFree" bigint, drains boolean)
  where r.session = s.session and r.left_at is null`)

/** Takes runners off the list that were not seen since then and work on nothing. */
export const removeUnseenOfAllWorkspaces = writes.run<Sql.RemoveUnseenOfAllWorkspaces>('since')(`
  update runners r set state = 'removed'
  where r.last_seen_at < :since and r.state <> 'removed'
    and not exists (select from work_orders o where o.runner_id = r.id and o.state = 'taken')`)

/** Those that are there for one order and have gone without a word have left: no start of theirs comes back. */
export const markSilentLeftOfAllWorkspaces = writes.run<Sql.MarkSilentLeftOfAllWorkspaces>('since')(`
  update runners r set left_at = r.last_seen_at
  where r.left_at is null and r.state <> 'removed' and '${ephemeralFeature}' = any(r.features)
    and r.last_seen_at < :since
    and not exists (select from work_orders o where o.runner_id = r.id and o.state = 'taken')`)

/** All but what the facts of its isolation and of its folders amount to. */
type Listed = Omit<RunnerRow, 'level' | 'repositories'> & {
  addresses: { team: string; name: string; address: string }[]
}

export const selectRunners = reads.column<Sql.SelectRunners, { json: Json<Listed> }>(
  'workspaceId, { now, since }',
)(`
  select (select row_to_json(listed) from (select
    r.id, r.name, r.version, r.os, r.arch, r.labels, r.state, r.executors, r.isolation, r.git,
    exists (select from practice_projects p where p.workspace_id = r.workspace_id and p.token_id = r.token_id)
      as "isPractice",
    coalesce((
      select json_agg(json_build_object('team', t.slug, 'name', b.name, 'address', b.address) order by t.id, b.name)
      from team_repositories b
      join teams t on t.workspace_id = b.workspace_id and t.id = b.team_id and t.deleted_at is null
      where b.workspace_id = r.workspace_id and (r.team_ids = '{}' or t.id = any(r.team_ids))
    ), '[]') as addresses,
    'image' = any(r.features) as "takesImages", r.slots,
    coalesce((
      select json_agg(json_build_object('slug', t.slug, 'name', t.name) order by t.name collate "und-x-icu")
      from teams t where t.workspace_id = r.workspace_id and t.id = any(r.team_ids) and t.deleted_at is null
    ), '[]') as teams, r.team_ids <> '{}' as "isPinned",
    json_build_object('orders', r.orders_given, 'reads', r.reads_given, 'writes', r.writes_given) as given,
    exists (select from ${connectedRunner} where w.id = r.id) and r.last_seen_at > :since as online,
    coalesce((
      select json_agg(json_build_object('run', n.key, 'story', s.key, 'title', coalesce(s.title, t.name), 'stage', o.stage,
        'progressAt', iso(${lastProgress})) order by o.taken_at)
      from work_orders o
      join runs n on n.workspace_id = o.workspace_id and n.id = o.run_id
      join teams t on t.workspace_id = n.workspace_id and t.id = n.team_id
      left join stories s on s.workspace_id = n.workspace_id and s.id = n.story_id
      where o.workspace_id = r.workspace_id and o.runner_id = r.id and o.state = 'taken'
    ), '[]') as works,
    iso(r.last_seen_at) as "lastSeenAt", iso(r.made_at) as "connectedAt",
    json_build_object('name', t.name, 'prefix', t.prefix, 'owner', p.name) as token,
    r.disk_free as "diskFree"
  ) as listed)::text as json
  from runners r
  join api_tokens t on t.id = r.token_id
  join people p on p.id = t.person_id
  where r.workspace_id = :workspaceId and r.state <> 'removed' and ${isListed}
  order by r.name collate "und-x-icu", r.id`)

/** Where repositories are that are folders on a disk; the practice project has a runner of its own. */
export const selectAddresses = reads.column<Sql.SelectAddresses>('workspaceId')(`
  select distinct b.address from team_repositories b
  join teams t on t.workspace_id = b.workspace_id and t.id = b.team_id and t.deleted_at is null
  where b.workspace_id = :workspaceId and b.host = 'local'
    and not exists (select from practice_projects p where p.workspace_id = b.workspace_id and p.team_id = b.team_id)`)

export const selectRemoved = reads.many<Sql.SelectRemoved>('workspaceId')(`
  select r.id, r.name, iso(r.last_seen_at) as "lastSeenAt" from runners r
  where r.workspace_id = :workspaceId and r.state = 'removed' and r.forgotten_at is null and ${isListed}
  order by r.last_seen_at desc, r.id
  limit 100`)

export const deleteRunnersBefore = writes.count<Sql.DeleteRunnersBefore>('workspaceId, before, most')(`
  delete from runners
  where workspace_id = :workspaceId and id in (
    select r.id from runners r
    where r.workspace_id = :workspaceId and r.state = 'removed' and r.last_seen_at < :before
      and (r.forgotten_at is not null or 'ephemeral' = any(r.features))
      and not exists (
        select from work_orders o where o.workspace_id = r.workspace_id and o.runner_id = r.id
      )
    limit #most
  )`)

const noteCredentialSql = statement<Sql.NoteCredential>(`
  update runners set reads_given = reads_given + :reads, writes_given = writes_given + :writes
  where workspace_id = :workspaceId and id = :id`)

/** Counts what a runner was let do in a repository. */
export async function noteCredential(
  tx: Tx,
  workspaceId: string,
  id: string,
  access: 'read' | 'write',
): Promise<void> {
  await write(tx, noteCredentialSql, {
    workspaceId,
    reads: access === 'read' ? 1 : 0,
    writes: access === 'write' ? 1 : 0,
    id,
  })
}
