import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { type Nothing, reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type { Left, TrackerStatus } from '../../ports/tracker.ts'
import type { Phase } from '../../work/runs/phase.ts'
import type { Mapping } from './columns.ts'
import type * as Sql from './store.types.ts'
import type { Base, Conflict, Field, MirroredFields } from './three-way-merge.ts'

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

/** What teams of a workspace are bound to. */
export const selectBindings = reads.many<Sql.SelectBindings, Binding>('workspaceId, ...of')(`
  select ${binding} from ${bindingSource} left join mirrors m on ${sameMirror}
  where b.workspace_id = :workspaceId [[and t.slug = :slug]] [[and b.team_id = :teamId]]
    [[and b.connection_id = :connectionId]]
  order by b.team_id`)

export const selectDueOfAllWorkspaces = reads.many<Sql.SelectDueOfAllWorkspaces>('now, rows')(`
  select b.workspace_id as "workspaceId", b.team_id as "teamId"
  from ${bindingSource}
  join workspaces w on w.id = b.workspace_id and w.deleted_at is null
  left join mirrors m on ${sameMirror}
  where m.team_id is null or (m.due_at <= :now and (m.held_until is null or m.held_until <= :now))
  order by m.due_at nulls first
  limit #rows`)

/** A mirror as held by the node that took it. */
export interface HeldMirror {
  cursor: unknown
  imported: number
  importedAt: Date | null
  comparedAt: Date | null
  failures: number
}

const insertMirrorsSql = statement<Sql.InsertMirrors>(`
  insert into mirrors (workspace_id, team_id, connection_id, project_id, label, due_at)
  values (:workspaceId, :id, :connectionId, :projectId, :label?, :now)
  on conflict (workspace_id, team_id) do update
  set connection_id = excluded.connection_id, project_id = excluded.project_id, label = excluded.label,
    statuses = null, cursor = null, imported = 0, total = null, imported_at = null, due_at = excluded.due_at,
    held_until = null, swept_at = null, compared_at = null, failures = 0, last_error = null
  where mirrors.connection_id <> excluded.connection_id or mirrors.project_id <> excluded.project_id
    or mirrors.label is distinct from excluded.label`)

const takeMirrorSql = statement<Sql.TakeMirror, HeldMirror>(`
  update mirrors set held_until = :until
  where workspace_id = :workspaceId and team_id = :id and due_at <= :now
    and (held_until is null or held_until <= :now)
  returning cursor, imported, imported_at as "importedAt", compared_at as "comparedAt", failures`)

/** Takes the mirror of a team until `until`. Undefined: it is not due, or another node has it. */
export async function takeMirror(
  tx: Tx,
  workspaceId: string,
  { team, connectionId, project, label }: Binding,
  now: Date,
  until: Date,
): Promise<HeldMirror | undefined> {
  await write(tx, insertMirrorsSql, {
    workspaceId,
    id: team.id,
    connectionId,
    projectId: project.id,
    label,
    now,
  })
  return (await write(tx, takeMirrorSql, { workspaceId, until, id: team.id, now }))[0]
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

const updateMirrorSql = statement<Sql.UpdateMirror>(`
  update mirrors set team_id = team_id
    [[, statuses = :statuses]] [[, cursor = :cursor]] [[, imported = :imported]] [[, total = :total?]]
    [[, imported_at = :importedAt]] [[, due_at = :dueAt]] [[, held_until = :heldUntil?]] [[, swept_at = :sweptAt]]
    [[, compared_at = :comparedAt]] [[, failures = :failures]] [[, last_error = :lastError?]]
  where workspace_id = :workspaceId and team_id = :teamId`)

export async function updateMirror(
  tx: Tx,
  workspaceId: string,
  teamId: string,
  progress: MirrorProgress,
): Promise<void> {
  const { statuses, cursor, ...others } = progress
  await write(
    tx,
    updateMirrorSql,
    handedIn({
      ...others,
      ...{ workspaceId, teamId },
      statuses: statuses && JSON.stringify(statuses),
      cursor: cursor === undefined ? undefined : JSON.stringify(cursor),
    }),
  )
}

const rereadMirrorSql = statement<Sql.RereadMirror>(`
  update mirrors set cursor = null, due_at = :at where workspace_id = :workspaceId and team_id = :teamId`)

const forgetDigestsSql = statement<Sql.ForgetDigests>(`
  update mirrored_stories set issue_digest = null where workspace_id = :workspaceId and team_id = :teamId`)

/** Has every open issue looked at again, also those that have not changed. */
export async function rereadMirror(tx: Tx, workspaceId: string, teamId: string, at: Date): Promise<void> {
  await write(tx, rereadMirrorSql, { workspaceId, at, teamId })
  await write(tx, forgetDigestsSql, { workspaceId, teamId })
}

/** Makes a mirror due now; false: there is none yet, and a new one is due anyway. */
export const hastenMirror = writes.wroteOne<Sql.HastenMirror>('workspaceId, teamId, at')(`
  update mirrors set due_at = least(due_at, :at) where workspace_id = :workspaceId and team_id = :teamId`)

export const updateMapping = writes.run<Sql.UpdateMapping, Nothing, { mapping: Mapping }>(
  'workspaceId, teamId, mapping',
)(`
  update team_trackers set mapping = :{mapping}
  where workspace_id = :workspaceId and team_id = :teamId`)

export const selectPause = reads.value<Sql.SelectPause>('workspaceId, connectionId, now')(`
  select until from connection_pauses
  where workspace_id = :workspaceId and connection_id = :connectionId and until > :now`)

export const upsertPause = writes.run<Sql.UpsertPause>('workspaceId, connectionId, until')(`
  insert into connection_pauses (workspace_id, connection_id, until)
  values (:workspaceId, :connectionId, :until)
  on conflict (workspace_id, connection_id) do update
  set until = greatest(connection_pauses.until, excluded.until)`)

interface MirroredIssue {
  connectionId: string
  projectId: string
  issueId: string
}

const blockRef = statement<Sql.BlockRef>(`
  select block_ref as ref from mirrored_stories
  where workspace_id = :workspaceId and connection_id = :connectionId and project_id = :projectId
    and issue_id = :issueId`)

export async function selectBlockRef(
  db: Db,
  workspaceId: string,
  issue: MirroredIssue,
): Promise<string | null> {
  return (await read(db, blockRef, handedIn({ workspaceId, ...issue })))[0]?.ref ?? null
}

export const updateBlockRef = writes.run<Sql.UpdateBlockRef>(
  'workspaceId, { connectionId, projectId, issueId }, ref',
)(`
  update mirrored_stories set block_ref = :ref
  where workspace_id = :workspaceId and connection_id = :connectionId and project_id = :projectId
    and issue_id = :issueId`)

/** Whether the tool's webhooks reach us. */
export const hasDeliveriesSince = reads.exists<Sql.HasDeliveriesSince>('workspaceId, connectionId, since')(`
  select from hook_deliveries
  where workspace_id = :workspaceId and connection_id = :connectionId and received_at > :since
  limit 1`)

const lock = statement<Sql.Lock>(
  'select pg_advisory_xact_lock(4409, hashtext(:workspaceId || :tool || :projectId))',
)

/** Stories for the issues of a project are filed one at a time across all nodes. */
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

const known = statement<Sql.Known, KnownIssue>(`
  select issue_id as "issueId!", story_id as "storyId", team_id as "teamId", issue_updated_at as "updatedAt!",
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

const wished = statement<Sql.Wished>(`
  select wish as "wish!" from mirrored_stories
  where workspace_id = :workspaceId and issue_id is null and wish = any (:wishes::text[])`)

/** Which of these wishes are ours, and still to be written down. */
export async function selectWishes(db: Db | Tx, workspaceId: string, wishes: string[]): Promise<Set<string>> {
  return new Set((await read(db, wished, { workspaceId, wishes })).map(({ wish }) => wish))
}

const openKnown = statement<Sql.OpenKnown>(`
  select m.issue_id as "issueId!" from mirrored_stories m
  where m.workspace_id = :workspaceId and m.tool = :tool and m.project_id = :projectId and m.team_id = :teamId
    and m.issue_id is not null and m.left_because is null and m.base ->> 'column' <> 'done'`)

/** Issues that were open when they were seen last. */
export async function selectOpenIssues(db: Db, workspaceId: string, { tool, project, team }: Binding) {
  const found = await read(db, openKnown, { workspaceId, tool, projectId: project.id, teamId: team.id })
  return found.map(({ issueId }) => issueId)
}

const mirroredCount = statement<Sql.MirroredCount>(`
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

/** Lock the story first: code that holds both takes them in this order. */
export const selectMirroredForUpdate = writes.one<Sql.SelectMirroredForUpdate, Mirrored>(
  'workspaceId, storyId',
)(`
  select ${mirrored} from mirrored_stories m
  where m.workspace_id = :workspaceId and m.story_id = :storyId
  for no key update`)

export const selectMirrored = reads.one<
  Sql.SelectMirrored,
  Mirrored & { key: string; teamId: string; connectionId: string; projectId: string },
  { storyId: string } | { key: string }
>('workspaceId, ...by')(`
  select ${mirrored}, s.key, m.team_id as "teamId", m.connection_id as "connectionId", m.project_id as "projectId"
  from mirrored_stories m
  join stories s on s.workspace_id = m.workspace_id and s.id = m.story_id
  where m.workspace_id = :workspaceId [[and m.story_id = :storyId]] [[and s.key = :key]]`)

interface NewMirrored {
  storyId: string
  issueId: string | null
  wish: string | null
  base: MirroredFields
  issueUpdatedAt: Date | null
  digest: string | null
  inStepSince: Date | null
}

const insertMirroredSql = statement<Sql.InsertMirrored>(`
  insert into mirrored_stories (workspace_id, story_id, team_id, connection_id, tool, project_id, issue_id, wish, base,
    issue_updated_at, issue_digest, in_step_since, checked_at)
  select :workspaceId, r."storyId", :id, :connectionId, :tool, :projectId, r."issueId", r.wish, r.base,
    r."issueUpdatedAt", r.digest, r."inStepSince", :at
  from jsonb_to_recordset(:rows::jsonb) as r ("storyId" uuid, "issueId" text, wish text, base jsonb,
    "issueUpdatedAt" timestamptz, digest text, "inStepSince" timestamptz)
  on conflict do nothing`)

/** What is known already stays as it is. */
export async function insertMirrored(
  tx: Tx,
  workspaceId: string,
  { team, connectionId, tool, project }: Binding,
  rows: NewMirrored[],
  at: Date,
): Promise<void> {
  await write(tx, insertMirroredSql, {
    workspaceId,
    id: team.id,
    connectionId,
    tool,
    projectId: project.id,
    at,
    rows: JSON.stringify(rows),
  })
}

export interface MirroredChanges {
  issueId?: string
  base?: MirroredFields
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

export const updateMirrored = writes.run<Sql.UpdateMirrored, Nothing, MirroredChanges>(
  'workspaceId, storyId, ...changes',
)(`
  update mirrored_stories set story_id = story_id
    [[, issue_id = :issueId]] [[, base = :{base}]] [[, issue_updated_at = :issueUpdatedAt]]
    [[, issue_digest = :digest]] [[, writing = :writing]] [[, conflicts = :{conflicts}]] [[, notice = :notice?]]
    [[, left_because = :leftBecause?]] [[, comment = :{comment}?]] [[, in_step_since = :inStepSince?]]
    [[, checked_at = :checkedAt]]
  where workspace_id = :workspaceId and story_id = :storyId`)

/** The newest run of a story, as its issue is told about it. */
export interface Work {
  workspace: string
  run: string
  phase: Phase
  pullRequest: { url: string; number: number } | null
  hasEvidence: boolean
  decision: string | null
  whenIssueLeaves: 'stop' | 'finish'
}

export const selectWork = reads.one<Sql.SelectWork, Work>('workspaceId, storyId')(`
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

export const selectMirrorRow = reads.one<Sql.SelectMirrorRow, MirrorRow>('workspaceId, slug')(`
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

/** The state of a story's mirrored issue, as the story's page shows it. */
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

export const selectStoryMirror = reads.one<Sql.SelectStoryMirror, StoryMirrorRow>('workspaceId, key')(`
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
