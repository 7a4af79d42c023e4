import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { sql } from 'kysely'
import { assignments } from '../../infra/db/assignments.ts'
import { type Db, read, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { MirroredStories, Mirrors } from '../../infra/db/tables.ts'
import type { Left, TrackerStatus } from '../ports/tracker.ts'
import type { Phase } from '../runs/phase.ts'
import type { Mapping } from './columns.ts'
import type { Base, Conflict, Field, Said } from './said.ts'

/** What a team's stories mirror, and with what. */
export interface Binding {
  workspaceId: string
  team: { id: string; slug: string; keyPrefix: string }
  connectionId: string
  kind: ConnectionKind
  tool: string
  project: { id: string; key: string }
  label: string | null
  mapping: Mapping
  /** Null: the tool has not been asked for them yet. */
  statuses: TrackerStatus[] | null
}

const binding = `
  b.workspace_id as "workspaceId",
  json_build_object('id', t.id, 'slug', t.slug, 'keyPrefix', t.key_prefix) as team,
  b.connection_id as "connectionId", c.kind, c.base_url as tool,
  json_build_object('id', b.project_id, 'key', b.project_key) as project, b.label, b.mapping, m.statuses
`
const bindingSource = `
  team_trackers b
  join teams t on t.workspace_id = b.workspace_id and t.id = b.team_id and t.deleted_at is null
  join connections c on c.workspace_id = b.workspace_id and c.id = b.connection_id and c.deleted_at is null
`
const sameMirror = `m.workspace_id = b.workspace_id and m.team_id = b.team_id
  and m.connection_id = b.connection_id and m.project_id = b.project_id and m.label is not distinct from b.label`

const ofTeams = statement<Binding>(`
  select ${binding} from ${bindingSource} left join mirrors m on ${sameMirror}
  where b.workspace_id = :workspaceId [[and t.slug = :slug]] [[and b.team_id = :teamId]]
    [[and b.connection_id = :connectionId]]
  order by b.team_id`)

/** What teams of a workspace are bound to. */
export async function selectBindings(
  db: Db | Tx,
  workspaceId: string,
  of: { slug?: string; teamId?: string; connectionId?: string },
): Promise<readonly Binding[]> {
  return read(db, ofTeams, { workspaceId, ...of })
}

const due = statement<{ workspaceId: string; teamId: string }>(`
  select b.workspace_id as "workspaceId", b.team_id as "teamId"
  from ${bindingSource}
  join workspaces w on w.id = b.workspace_id and w.deleted_at is null
  left join mirrors m on ${sameMirror}
  where m.team_id is null or (m.due_at <= :now and (m.held_until is null or m.held_until <= :now))
  order by m.due_at nulls first
  limit #rows`)

export async function selectDueOfAllWorkspaces(db: Db, now: Date, rows: number) {
  return read(db, due, { now, rows })
}

/** A mirror that is being looked at by whoever took it. */
export interface HeldMirror {
  cursor: unknown
  imported: number
  importedAt: Date | null
  comparedAt: Date | null
  failures: number
}

/** Takes the mirror of a team until `until`. Undefined: it is not due, or somebody else is at it. */
export async function takeMirror(
  tx: Tx,
  workspaceId: string,
  { team, connectionId, project, label }: Binding,
  now: Date,
  until: Date,
): Promise<HeldMirror | undefined> {
  await sql`
    insert into mirrors (workspace_id, team_id, connection_id, project_id, label, due_at)
    values (${workspaceId}, ${team.id}, ${connectionId}, ${project.id}, ${label}, ${now})
    on conflict (workspace_id, team_id) do update
    set connection_id = excluded.connection_id, project_id = excluded.project_id, label = excluded.label,
      statuses = null, cursor = null, imported = 0, total = null, imported_at = null, due_at = excluded.due_at,
      held_until = null, swept_at = null, compared_at = null, failures = 0, last_error = null
    where mirrors.connection_id <> excluded.connection_id or mirrors.project_id <> excluded.project_id
      or mirrors.label is distinct from excluded.label
  `.execute(tx)
  const { rows } = await sql<HeldMirror>`
    update mirrors set held_until = ${until}
    where workspace_id = ${workspaceId} and team_id = ${team.id} and due_at <= ${now}
      and (held_until is null or held_until <= ${now})
    returning cursor, imported, imported_at as "importedAt", compared_at as "comparedAt", failures
  `.execute(tx)
  return rows[0]
}

export interface MirrorProgress {
  statuses?: TrackerStatus[]
  cursor?: unknown
  imported?: number
  total?: number | null
  importedAt?: Date
  dueAt?: Date
  heldUntil?: Date | null
  sweptAt?: Date
  comparedAt?: Date
  failures?: number
  lastError?: string | null
}

export async function updateMirror(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  progress: MirrorProgress,
): Promise<void> {
  const changes = assignments<Mirrors>({
    statuses: progress.statuses && JSON.stringify(progress.statuses),
    cursor: progress.cursor === undefined ? undefined : JSON.stringify(progress.cursor),
    imported: progress.imported,
    total: progress.total,
    imported_at: progress.importedAt,
    due_at: progress.dueAt,
    held_until: progress.heldUntil,
    swept_at: progress.sweptAt,
    compared_at: progress.comparedAt,
    failures: progress.failures,
    last_error: progress.lastError,
  })
  await sql`
    update mirrors set ${changes} where workspace_id = ${workspaceId} and team_id = ${teamId}
  `.execute(tx)
}

/** Has every open issue looked at again, also those that have not changed. */
export async function rereadMirror(tx: Tx, workspaceId: string, teamId: string, at: Date): Promise<void> {
  await sql`
    update mirrors set cursor = null, due_at = ${at} where workspace_id = ${workspaceId} and team_id = ${teamId}
  `.execute(tx)
  await sql`
    update mirrored_stories set issue_digest = null where workspace_id = ${workspaceId} and team_id = ${teamId}
  `.execute(tx)
}

/** Makes a mirror due now; false: there is none yet, which is due by itself. */
export async function hastenMirror(tx: Tx, workspaceId: string, teamId: string, at: Date): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update mirrors set due_at = least(due_at, ${at}) where workspace_id = ${workspaceId} and team_id = ${teamId}
  `.execute(tx)
  return numAffectedRows === 1n
}

export async function updateMapping(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  mapping: Mapping,
): Promise<void> {
  await sql`
    update team_trackers set mapping = ${JSON.stringify(mapping)}
    where workspace_id = ${workspaceId} and team_id = ${teamId}
  `.execute(tx)
}

const pause = statement<{ until: Date }>(`
  select until from connection_pauses
  where workspace_id = :workspaceId and connection_id = :connectionId and until > :now`)

export async function selectPause(db: Db, workspaceId: string, connectionId: string, now: Date) {
  return (await read(db, pause, { workspaceId, connectionId, now }))[0]?.until
}

export async function upsertPause(
  tx: Tx,
  workspaceId: string,
  connectionId: string,
  until: Date,
): Promise<void> {
  await sql`
    insert into connection_pauses (workspace_id, connection_id, until)
    values (${workspaceId}, ${connectionId}, ${until})
    on conflict (workspace_id, connection_id) do update
    set until = greatest(connection_pauses.until, excluded.until)
  `.execute(tx)
}

const heardSince = statement(`
  select from hook_deliveries
  where workspace_id = :workspaceId and connection_id = :connectionId and received_at > :since
  limit 1`)

/** Whether the tool's webhooks reach us. */
export async function hasHeardSince(db: Db, workspaceId: string, connectionId: string, since: Date) {
  return (await read(db, heardSince, { workspaceId, connectionId, since })).length > 0
}

const lock = statement('select pg_advisory_xact_lock(4409, hashtext(:workspaceId || :tool || :projectId))')

/** Whoever files stories for issues of a project does it one after the other, on every node. */
export async function lockProject(tx: Tx, workspaceId: string, { tool, project }: Binding): Promise<void> {
  await write(tx, lock, { workspaceId, tool, projectId: project.id })
}

interface KnownIssue {
  issueId: string
  storyId: string
  teamId: string
  updatedAt: Date
  digest: string | null
  /** Something is being written over there, so that seeing it again means something. */
  isWriting: boolean
}

const known = statement<KnownIssue>(`
  select issue_id as "issueId", story_id as "storyId", team_id as "teamId", issue_updated_at as "updatedAt",
    issue_digest as digest, writing <> '{}' as "isWriting"
  from mirrored_stories
  where workspace_id = :workspaceId and tool = :tool and project_id = :projectId
    and issue_id = any (:ids::text[])`)

/** Which of these issues are stories already. */
export async function selectKnown(
  db: Db | Tx,
  workspaceId: string,
  { tool, project }: Pick<Binding, 'tool' | 'project'>,
  ids: string[],
): Promise<readonly KnownIssue[]> {
  return read(db, known, { workspaceId, tool, projectId: project.id, ids })
}

const wished = statement<{ wish: string }>(`
  select wish from mirrored_stories
  where workspace_id = :workspaceId and issue_id is null and wish = any (:wishes::text[])`)

/** Which of these wishes are ours, and still to be written down. */
export async function selectWishes(db: Db | Tx, workspaceId: string, wishes: string[]): Promise<Set<string>> {
  return new Set((await read(db, wished, { workspaceId, wishes })).map(({ wish }) => wish))
}

const openKnown = statement<{ issueId: string }>(`
  select m.issue_id as "issueId" from mirrored_stories m
  where m.workspace_id = :workspaceId and m.tool = :tool and m.project_id = :projectId and m.team_id = :teamId
    and m.issue_id is not null and m.left_because is null and m.base ->> 'column' <> 'done'`)

/** Issues that were open when they were seen last. */
export async function selectOpenIssues(db: Db, workspaceId: string, { tool, project, team }: Binding) {
  const found = await read(db, openKnown, { workspaceId, tool, projectId: project.id, teamId: team.id })
  return found.map(({ issueId }) => issueId)
}

const mirroredCount = statement<{ count: number }>(`
  select count(*)::int as count from mirrored_stories
  where workspace_id = :workspaceId and tool = :tool and project_id = :projectId and team_id = :teamId
    and issue_id is not null`)

/** How many issues of its project are stories of the team. */
export async function countMirrored(
  db: Db,
  workspaceId: string,
  { tool, project, team }: Binding,
): Promise<number> {
  const given = { workspaceId, tool, projectId: project.id, teamId: team.id }
  return (await read(db, mirroredCount, given))[0]!.count
}

/** What is known of a story's issue. */
export interface Mirrored {
  storyId: string
  issueId: string | null
  wish: string | null
  base: Base
  issueUpdatedAt: Date | null
  writing: Field[]
  conflicts: Conflict[]
  notice: string | null
  leftBecause: Left | null
  comment: { run: string; ref: string; text: string } | null
  inStepSince: Date | null
}

const mirrored = `
  m.story_id as "storyId", m.issue_id as "issueId", m.wish, m.base, m.issue_updated_at as "issueUpdatedAt",
  m.writing, m.conflicts, m.notice, m.left_because as "leftBecause", m.comment, m.in_step_since as "inStepSince"
`

const heldStory = statement<Mirrored>(`
  select ${mirrored} from mirrored_stories m
  where m.workspace_id = :workspaceId and m.story_id = :storyId
  for no key update`)

/** After the story: whoever holds both takes them in this order. */
export async function selectMirroredForUpdate(
  tx: Tx,
  workspaceId: string,
  storyId: string,
): Promise<Mirrored | undefined> {
  return (await write(tx, heldStory, { workspaceId, storyId }))[0]
}

const oneStory = statement<
  Mirrored & { key: string; teamId: string; connectionId: string; projectId: string }
>(`
  select ${mirrored}, s.key, m.team_id as "teamId", m.connection_id as "connectionId", m.project_id as "projectId"
  from mirrored_stories m
  join stories s on s.workspace_id = m.workspace_id and s.id = m.story_id
  where m.workspace_id = :workspaceId [[and m.story_id = :storyId]] [[and s.key = :key]]`)

export async function selectMirrored(db: Db, workspaceId: string, by: { storyId: string } | { key: string }) {
  return (await read(db, oneStory, { workspaceId, ...by }))[0]
}

interface NewMirrored {
  storyId: string
  issueId: string | null
  wish: string | null
  base: Said
  issueUpdatedAt: Date | null
  digest: string | null
  inStepSince: Date | null
}

/** What is known already stays as it is. */
export async function insertMirrored(
  tx: Tx,
  workspaceId: string,
  { team, connectionId, tool, project }: Binding,
  rows: NewMirrored[],
  at: Date,
): Promise<void> {
  await sql`
    insert into mirrored_stories (workspace_id, story_id, team_id, connection_id, tool, project_id, issue_id, wish, base,
      issue_updated_at, issue_digest, in_step_since, checked_at)
    select ${workspaceId}, r."storyId", ${team.id}, ${connectionId}, ${tool}, ${project.id}, r."issueId", r.wish, r.base,
      r."issueUpdatedAt", r.digest, r."inStepSince", ${at}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r ("storyId" uuid, "issueId" text, wish text, base jsonb,
      "issueUpdatedAt" timestamptz, digest text, "inStepSince" timestamptz)
    on conflict do nothing
  `.execute(tx)
}

export interface MirroredChanges {
  issueId?: string
  base?: Said
  issueUpdatedAt?: Date
  digest?: string
  writing?: Field[]
  conflicts?: Conflict[]
  notice?: string | null
  leftBecause?: Left | null
  comment?: Mirrored['comment']
  inStepSince?: Date | null
  checkedAt?: Date
}

export async function updateMirrored(
  tx: Tx,
  workspaceId: string,
  storyId: string,
  changes: MirroredChanges,
): Promise<void> {
  const set = assignments<MirroredStories>({
    issue_id: changes.issueId,
    base: changes.base && JSON.stringify(changes.base),
    issue_updated_at: changes.issueUpdatedAt,
    issue_digest: changes.digest,
    writing: changes.writing,
    conflicts: changes.conflicts && JSON.stringify(changes.conflicts),
    notice: changes.notice,
    left_because: changes.leftBecause,
    comment: changes.comment && JSON.stringify(changes.comment),
    in_step_since: changes.inStepSince,
    checked_at: changes.checkedAt,
  })
  await sql`
    update mirrored_stories set ${set} where workspace_id = ${workspaceId} and story_id = ${storyId}
  `.execute(tx)
}

/** The newest run of a story, as its issue is told of it. */
export interface Work {
  workspace: string
  run: string
  phase: Phase
  pullRequest: { url: string; number: number } | null
  hasEvidence: boolean
  decision: string | null
  whenIssueLeaves: 'stop' | 'finish'
}

const work = statement<Work>(`
  select w.slug as workspace, r.key as run, r.phase,
    case when r.pull_request_url is not null then
      json_build_object('url', r.pull_request_url, 'number', r.pull_request_number)
    end as "pullRequest",
    r.evidence is not null as "hasEvidence",
    (
      select d.key from decisions d
      where d.workspace_id = r.workspace_id and d.run_id = r.id and d.status = 'pending' order by d.id limit 1
    ) as decision,
    coalesce((
      select p.when_issue_leaves from policies p
      where p.workspace_id = r.workspace_id and p.team_id = r.team_id
        and p.version = coalesce(r.policy_version, (select t.policy_version from teams t where t.id = r.team_id))
    ), 'stop') as "whenIssueLeaves"
  from runs r
  join workspaces w on w.id = r.workspace_id
  where r.workspace_id = :workspaceId and r.story_id = :storyId
  order by r.id desc
  limit 1`)

export async function selectWork(
  db: Db | Tx,
  workspaceId: string,
  storyId: string,
): Promise<Work | undefined> {
  return (await read(db, work, { workspaceId, storyId }))[0]
}

/** A team's mirror as its settings show it. */
export interface MirrorRow {
  tool: ConnectionKind
  connectionName: string
  connectionId: string
  project: string
  projectUrl: string | null
  label: string | null
  imported: number
  total: number | null
  importedAt: string | null
  sweptAt: string | null
  dueAt: string | null
  lastError: string | null
  notInStep: number
  statuses: TrackerStatus[] | null
  mapping: Mapping
}

const page = statement<MirrorRow>(`
  select c.kind as tool, c.name as "connectionName", b.connection_id as "connectionId", b.project_key as project,
    b.project_url as "projectUrl", b.label, coalesce(m.imported, 0) as imported, m.total,
    iso(m.imported_at) as "importedAt", iso(m.swept_at) as "sweptAt", iso(m.due_at) as "dueAt",
    m.last_error as "lastError", m.statuses, b.mapping,
    (
      select count(*)::int from mirrored_stories s
      where s.workspace_id = b.workspace_id and s.team_id = b.team_id and s.issue_id is not null
        and s.in_step_since is null and s.left_because is null
    ) as "notInStep"
  from ${bindingSource} left join mirrors m on ${sameMirror}
  where b.workspace_id = :workspaceId and t.slug = :slug`)

export async function selectMirrorRow(
  db: Db,
  workspaceId: string,
  slug: string,
): Promise<MirrorRow | undefined> {
  return (await read(db, page, { workspaceId, slug }))[0]
}

/** How a story's issue stands to it, as its page shows it. */
export interface StoryMirrorRow {
  tool: ConnectionKind
  left: Left | null
  notice: string | null
  conflicts: Conflict[]
  inStepSince: string | null
  isWriting: boolean
  trouble: string | null
  isBound: boolean
}

const ofStory = statement<StoryMirrorRow>(`
  select c.kind as tool, m.left_because as "left", m.notice, m.conflicts, iso(m.in_step_since) as "inStepSince",
    exists (
      select from effects e
      where e.workspace_id = m.workspace_id and e.kind = 'write_issue' and e.due_at is not null
        and e.data ->> 'storyId' = m.story_id::text
    ) as "isWriting",
    coalesce((
      select e.last_error from effects e
      where e.workspace_id = m.workspace_id and e.kind = 'write_issue' and e.due_at is not null
        and e.data ->> 'storyId' = m.story_id::text and e.last_error is not null
      order by e.id desc limit 1
    ), (
      select q.last_error from mirrors q where q.workspace_id = m.workspace_id and q.team_id = m.team_id
    )) as trouble,
    exists (
      select from team_trackers b where b.workspace_id = m.workspace_id and b.team_id = m.team_id
        and b.connection_id = m.connection_id and b.project_id = m.project_id
    ) as "isBound"
  from mirrored_stories m
  join stories s on s.workspace_id = m.workspace_id and s.id = m.story_id
  join connections c on c.workspace_id = m.workspace_id and c.id = m.connection_id
  where m.workspace_id = :workspaceId and s.key = :key and m.issue_id is not null`)

export async function selectStoryMirror(
  db: Db,
  workspaceId: string,
  key: string,
): Promise<StoryMirrorRow | undefined> {
  return (await read(db, ofStory, { workspaceId, key }))[0]
}
