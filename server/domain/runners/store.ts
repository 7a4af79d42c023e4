import type { RunnerRow } from '@signalbox/contract/app/runners.ts'
import type { Isolation, Register, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import { connectedRunner } from '../engine/connected-runner.ts'
import { lastProgress } from '../runs/last-progress.ts'

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

const lock = statement(`
  select from runners
  where workspace_id = :workspaceId [[and id = :id]] [[and instance = :instance]] and forgotten_at is null
  for no key update`)

const locked = statement<LockedRunner>(`
  select r.id, r.name, r.session, r.boot, r.state, r.token_id as "tokenId", r.evidence_key as "evidenceKey",
    r.registrations, r.team_ids as "teamIds", r.last_seen_at as "lastSeenAt", r.left_at as "leftAt",
    exists (select from ${connectedRunner} where w.id = r.id) as "isConnected"
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
  await write(tx, lock, { workspaceId, ...by })
  return (await read(tx, locked, { workspaceId, now, ...by }))[0]
}

const registrations = statement<{ registrations: number }>(`
  select registrations from runners
  where workspace_id = :workspaceId and instance = :instance and forgotten_at is null`)

/** How often an instance has registered; one that is not known has not. */
export async function selectRegistrations(db: Db, workspaceId: string, instance: string): Promise<number> {
  return (await read(db, registrations, { workspaceId, instance }))[0]?.registrations ?? 0
}

const runnersLock = 4412

const lockAll = statement(`
  select pg_advisory_xact_lock(${runnersLock}, hashtext(:workspaceId))`)

/** Runners of a workspace are let in one after the other, until the end of the transaction. */
export async function lockRunnersOf(tx: Tx, workspaceId: string): Promise<void> {
  await write(tx, lockAll, { workspaceId })
}

const counted = statement<{ ofToken: number; ofWorkspace: number }>(`
  select count(*)::int as "ofWorkspace", (count(*) filter (where token_id = :tokenId))::int as "ofToken"
  from runners where workspace_id = :workspaceId and state <> 'removed'`)

export async function countRunners(tx: Tx, workspaceId: string, tokenId: string) {
  return (await read(tx, counted, { workspaceId, tokenId }))[0]!
}

/** False: they were told of it since then. */
export async function markRefused(
  tx: Tx,
  workspaceId: string,
  id: string,
  { at, since }: { at: Date; since: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update runners set refused_at = ${at}
    where workspace_id = ${workspaceId} and id = ${id} and (refused_at is null or refused_at <= ${since})
  `.execute(tx)
  return numAffectedRows === 1n
}

interface TokenOwner {
  personId: string
  owner: string
  isMember: boolean
  name: string
  prefix: string
}

const tokenOwner = statement<TokenOwner>(`
  select k.person_id as "personId", p.name as owner, k.name, k.prefix, exists (
      select from memberships m where m.workspace_id = k.workspace_id and m.person_id = k.person_id
    ) as "isMember"
  from api_tokens k
  join people p on p.id = k.person_id
  where k.workspace_id = :workspaceId [[and k.id = :tokenId]]
    [[and k.id = (select token_id from runners where workspace_id = :workspaceId and id = :runnerId)]]`)

/** Whose token it is, or whose a runner came with last. */
export async function selectTokenOwner(
  tx: Tx,
  workspaceId: string,
  of: { tokenId: string } | { runnerId: string },
): Promise<TokenOwner> {
  return (await read(tx, tokenOwner, { workspaceId, ...of }))[0]!
}

/** What of a runner is written at each register. */
export interface Registration extends Omit<Register, 'protocol' | 'holds' | 'proof'> {
  tokenId: string
  state: RunnerState
  at: Date
}

/** A new one; false when somebody has just made one with that instance. */
export async function insertRunner(
  tx: Tx,
  workspaceId: string,
  id: string,
  runner: Registration,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into runners (id, workspace_id, instance, name, version, os, arch, slots, labels, features, executors,
      isolation, evidence_key, token_id, session, boot, state, free, last_seen_at, made_at)
    values (${id}, ${workspaceId}, ${runner.instance}, ${runner.name}, ${runner.version}, ${runner.os}, ${runner.arch},
      ${runner.slots}, ${runner.labels}, ${runner.features}, ${JSON.stringify(runner.executors)},
      ${JSON.stringify(runner.isolation)}, ${runner.evidenceKey}, ${runner.tokenId}, nextval('runner_sessions'),
      ${runner.boot}, ${runner.state}, ${runner.slots}, ${runner.at}, ${runner.at})
    on conflict (workspace_id, instance) where forgotten_at is null do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

/** The same runner again, with the same key. A new start gets a session of its own. */
export async function updateRegistration(
  tx: Tx,
  workspaceId: string,
  id: string,
  runner: Registration,
  isNewStart: boolean,
): Promise<void> {
  await sql`
    update runners set name = ${runner.name}, version = ${runner.version}, os = ${runner.os}, arch = ${runner.arch},
      slots = ${runner.slots}, labels = ${runner.labels}, features = ${runner.features},
      executors = ${JSON.stringify(runner.executors)}, isolation = ${JSON.stringify(runner.isolation)},
      token_id = ${runner.tokenId}, boot = ${runner.boot}, registrations = registrations + 1,
      session = case when ${isNewStart} then nextval('runner_sessions') else session end,
      told = case when ${isNewStart} then null else told end, drains = false,
      state = ${runner.state}, last_seen_at = ${runner.at}, left_at = null
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

/** A session as whoever speaks under it is known in memory. */
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
  labels: string[]
}

const bySession = statement<KnownSession>(`
  select session, id as "runnerId", workspace_id as "workspaceId", token_id as "tokenId", name, state, told, slots,
    features, executors, isolation, labels
  from runners
  where session = :session and state <> 'removed' and left_at is null`)

export async function selectBySession(db: Db, session: number): Promise<KnownSession | undefined> {
  return (await read(db, bySession, { session }))[0]
}

const connected = statement<{ id: string }>(`
  select w.id from ${connectedRunner} where w.workspace_id = :workspaceId and w.id = :id`)

/** Whether a runner may still speak: its token lives, it has not signed off and was not removed. */
export async function isConnected(db: Db, workspaceId: string, id: string, now: Date): Promise<boolean> {
  return (await read(db, connected, { workspaceId, id, now })).length > 0
}

export async function updateState(
  tx: Tx,
  workspaceId: string,
  id: string,
  state: RunnerState,
): Promise<void> {
  await sql`update runners set state = ${state} where workspace_id = ${workspaceId} and id = ${id}`.execute(
    tx,
  )
}

/** Whoever comes under its instance from now on is another runner. */
export async function markForgotten(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await sql`
    update runners set forgotten_at = ${at} where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

const teamIds = statement<{ id: string; slug: string }>(`
  select id, slug from teams where workspace_id = :workspaceId and slug = any(:slugs) and deleted_at is null`)

export async function selectTeamIds(tx: Tx, workspaceId: string, slugs: string[]) {
  return read(tx, teamIds, { workspaceId, slugs })
}

export async function updateTeams(tx: Tx, workspaceId: string, id: string, teamIds: string[]): Promise<void> {
  await sql`
    update runners set team_ids = ${teamIds}::uuid[] where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

export async function updateTold(
  tx: Tx,
  workspaceId: string,
  session: number,
  told: KnownSession['told'],
): Promise<void> {
  await sql`
    update runners set told = ${told} where workspace_id = ${workspaceId} and session = ${session}
  `.execute(tx)
}

export async function markLeft(tx: Tx, workspaceId: string, id: string, at: Date): Promise<void> {
  await sql`
    update runners set left_at = ${at}, last_seen_at = ${at} where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}

/** What was heard of a session: when, and what it said of itself. */
export interface Sign {
  session: number
  at: Date
  free?: number
  diskFree?: number | null
  drains?: boolean
}

/** Only ever forward: several nodes may hear of the same runner. */
export async function noteSignsOfAllWorkspaces(tx: Tx, signs: readonly Sign[]): Promise<void> {
  await sql`
    update runners r set last_seen_at = greatest(r.last_seen_at, s.at), free = coalesce(s.free, r.free),
      disk_free = coalesce(s."diskFree", r.disk_free), drains = coalesce(s.drains, r.drains)
    from json_to_recordset(${JSON.stringify(signs)}::json)
      as s (session bigint, at timestamptz, free int, "diskFree" bigint, drains boolean)
    where r.session = s.session and r.left_at is null
  `.execute(tx)
}

/** Whoever was not heard of since then, and works on nothing, is off the list. */
export async function removeUnseenOfAllWorkspaces(tx: Tx, since: Date): Promise<void> {
  await sql`
    update runners r set state = 'removed'
    where r.last_seen_at < ${since} and r.state <> 'removed'
      and not exists (select from work_orders o where o.runner_id = r.id and o.state = 'taken')
  `.execute(tx)
}

const teams = statement<{ id: string }>(`
  select distinct t.id from teams t
  join team_repositories r on r.workspace_id = t.workspace_id and r.team_id = t.id
  where t.workspace_id = :workspaceId and t.deleted_at is null and t.policy_version is not null`)

/** The teams whose work is done by runners. */
export async function selectTeamsWithRepository(tx: Tx, workspaceId: string) {
  return read(tx, teams, { workspaceId })
}

/** All but what the facts of its isolation amount to. */
type Listed = Omit<RunnerRow, 'level'>

const list = statement<{ json: Json<Listed> }>(`
  select (select row_to_json(listed) from (select
    r.id, r.name, r.version, r.os, r.arch, r.labels, r.state, r.executors, r.isolation,
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
  where r.workspace_id = :workspaceId and r.state <> 'removed'
  order by r.name collate "und-x-icu", r.id`)

export async function selectRunners(
  db: Db,
  workspaceId: string,
  { now, since }: { now: Date; since: Date },
): Promise<Json<Listed>[]> {
  return (await read(db, list, { workspaceId, now, since })).map(({ json }) => json)
}

const removed = statement<{ id: string; name: string; lastSeenAt: string }>(`
  select id, name, iso(last_seen_at) as "lastSeenAt" from runners
  where workspace_id = :workspaceId and state = 'removed' and forgotten_at is null
  order by last_seen_at desc, id
  limit 100`)

export async function selectRemoved(db: Db, workspaceId: string) {
  return read(db, removed, { workspaceId })
}

/** Counts what a runner was let do in a repository. */
export async function noteCredential(
  tx: Tx,
  workspaceId: string,
  id: string,
  access: 'read' | 'write',
): Promise<void> {
  await sql`
    update runners set reads_given = reads_given + ${access === 'read' ? 1 : 0},
      writes_given = writes_given + ${access === 'write' ? 1 : 0}
    where workspace_id = ${workspaceId} and id = ${id}
  `.execute(tx)
}
