import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, readApart, readSlowly, type Tx, write } from '../../../infra/db/db.ts'
import { reads, readsApart, readsSlowly, writes } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import { firstIdAt, timeOfId } from '../../../infra/ids.ts'
import type { Range, TreeNode } from '../../../infra/merkle.ts'
import type * as Sql from './store.types.ts'

export type StoredCheckpoint = Sql.NewestCheckpoint['row']

export interface NewLeaf {
  entryId: string
  hash: Buffer
}

/** A leaf and its entry; the entry's columns are all null when it is gone. */
export interface LeafWithEntry {
  position: number
  entry_id: string
  hash: Buffer
  workspace_id: string | null
  team: string | null
  actor_type: string | null
  event: string | null
  run_key: string | null
  entry: string | null
}

/** Below every id: where a walk by id begins. */
export const smallestId = '00000000-0000-0000-0000-000000000000'

// Beside 4401 and 4402, which the migrations use. Two workspaces may share a key; then one waits for the next round.
const sealLock = 4403

/** Of several nodes one seals; the others do not wait for it. */
export const lockSeals = writes.onlyValue<Sql.LockSeals>('workspaceId')(`
  select pg_try_advisory_xact_lock(${sealLock}, hashtext(:workspaceId)) as locked`)

export const workspacesToSeal = reads.column<Sql.WorkspacesToSeal>()(`
  select distinct workspace_id
  from audit_unsealed
  order by workspace_id`)

/**
 * Rows that wait, oldest first, with their entries; null where the entry is gone, or has a leaf already.
 * The queue's statistics are always out of date, so nothing is left to them: the inner limit comes before the
 * entries are looked up, and the lateral ones keep the planner from scanning those.
 */
export const rowsToSeal = readsSlowly.many<Sql.RowsToSeal>('workspaceId, afterId, most')(`
  select unsealed.entry_id as id, waiting.entry
  from (
    select entry_id
    from audit_unsealed
    where workspace_id = :workspaceId
      and entry_id > :afterId
    order by entry_id
    limit #most
  ) as unsealed
  left join lateral (
    select entry
    from audit_entries
    where workspace_id = :workspaceId
      and id = unsealed.entry_id
      and not exists (select from audit_leaves where audit_leaves.entry_id = audit_entries.id)
    limit 1
  ) as waiting on true
  order by unsealed.entry_id`)

export const newestCheckpoint = readsSlowly.one<Sql.NewestCheckpoint>('workspaceId')(`
  select size, root, frontier, note
  from audit_checkpoints
  where workspace_id = :workspaceId
  order by size desc
  limit 1`)

const selectSealStateSql = statement<
  Sql.SelectSealState,
  Pick<StoredCheckpoint, 'size' | 'note'> & { sealedAt: Date }
>(`
  select size, note, sealed_at as "sealedAt"
  from audit_checkpoints
  where workspace_id = :workspaceId
  order by size desc
  limit 1`)

const sealStateSql = statement<Sql.SealState>(
  `select count(*)::int as waiting from audit_unsealed where workspace_id = :workspaceId`,
)

/** The newest checkpoint with the time of its seal, and how many entries wait for the next. */
export async function sealState(
  db: Db,
  workspaceId: string,
): Promise<{
  checkpoint: (Pick<StoredCheckpoint, 'size' | 'note'> & { sealedAt: Date }) | null
  waiting: number
}> {
  const [[newest], [unsealed]] = await Promise.all([
    read(db, selectSealStateSql, { workspaceId }),
    read(db, sealStateSql, { workspaceId }),
  ])
  return { checkpoint: newest ?? null, waiting: unsealed!.waiting }
}

const insertLeavesSql = statement<Sql.InsertLeaves>(`
  insert into audit_leaves (workspace_id, position, entry_id, hash)
  select :workspaceId, :first::bigint + leaf.number - 1, leaf.entry_id,
    substr(:hashes::bytea, (leaf.number::int - 1) * 32 + 1, 32)
  from unnest(:ids::uuid[]) with ordinality as leaf(entry_id, number)`)

export async function insertLeaves(
  tx: Tx,
  workspaceId: string,
  first: number,
  leaves: NewLeaf[],
): Promise<void> {
  // All hashes as one value: each is as long as the next.
  await write(tx, insertLeavesSql, {
    workspaceId,
    first,
    hashes: Buffer.concat(leaves.map((leaf) => leaf.hash)),
    ids: leaves.map((leaf) => leaf.entryId),
  })
}

const insertNodesSql = statement<Sql.InsertNodes>(`
  insert into audit_nodes (workspace_id, level, position, hash)
  select :workspaceId, level, position, hash
  from unnest(
    :levels::smallint[],
    :positions::bigint[],
    :hashes::bytea[]
  ) as node(level, position, hash)`)

export async function insertNodes(tx: Tx, workspaceId: string, nodes: TreeNode[]): Promise<void> {
  await write(tx, insertNodesSql, {
    workspaceId,
    levels: nodes.map((node) => node.level),
    positions: nodes.map((node) => node.position),
    hashes: nodes.map((node) => node.hash),
  })
}

export const insertCheckpoint = writes.run<Sql.InsertCheckpoint>(
  'workspaceId, { size, root, frontier, note }, sealedAt',
)(`
  insert into audit_checkpoints (workspace_id, size, root, frontier, note, sealed_at)
  values (:workspaceId, :size, :root, :frontier, :note, :sealedAt)`)

const deleteUnsealedSql = statement<Sql.DeleteUnsealed>(`
  delete from audit_unsealed
  where workspace_id = :workspaceId
    and entry_id = any(:ids::uuid[])`)

export async function deleteUnsealed(tx: Tx, workspaceId: string, leaves: NewLeaf[]): Promise<void> {
  await write(tx, deleteUnsealedSql, { workspaceId, ids: leaves.map((leaf) => leaf.entryId) })
}

export const thinCheckpoints = writes.onlyValue<Sql.ThinCheckpoints>('workspaceId, before, most')(`
  select thin_audit_checkpoints(:workspaceId, :before, :most) as "removed!"`)

/** The newest signed note of every workspace. */
export const newestNotesOfAllWorkspaces = readsSlowly.column<Sql.NewestNotesOfAllWorkspaces>()(`
  select newest.note
  from workspaces w
  cross join lateral (
    select note
    from audit_checkpoints
    where workspace_id = w.id
    order by size desc
    limit 1
  ) as newest`)

export const entriesOfExport = readsApart.value<Sql.EntriesOfExport>('workspaceId, exportId')(`
  select entries
  from audit_exports
  where workspace_id = :workspaceId
    and id = :exportId`)

// More than the timeouts of the database leave a transaction, and than a clock is set back.
const recordedWithinMs = 10 * 60_000

const recordOfExportSql = statement<Sql.RecordOfExport, { id: string; entry: Json<AuditEntry> }>(`
  select id, entry
  from audit_entries
  where workspace_id = :workspaceId
    and event = 'audit_exported'
    and id >= :id
    and id < :firstIdAtId
    and entry::json #>> '{entity,id}' = :exportId
  order by id
  limit 1`)

/** The entry that records an export: made with it, so it is looked for only around the time that the export's id tells. */
export async function recordOfExport(
  db: Db,
  workspaceId: string,
  exportId: string,
): Promise<{ id: string; entry: Json<AuditEntry> } | undefined> {
  const exported = timeOfId(exportId).getTime()
  return (
    await readApart(db, recordOfExportSql, {
      workspaceId,
      id: firstIdAt(new Date(exported - recordedWithinMs)),
      firstIdAtId: firstIdAt(new Date(exported + recordedWithinMs)),
      exportId,
    })
  )[0]
}

export const leavesOfEntries = readsApart.many<Sql.LeavesOfEntries>('workspaceId, entryIds')(`
  select entry_id, position, hash
  from audit_leaves
  where workspace_id = :workspaceId
    and entry_id = any(:entryIds::uuid[])`)

/** The first checkpoint that covers the position, so that a proof made twice is the same proof. */
export const checkpointCovering = readsApart.one<Sql.CheckpointCovering>('workspaceId, position')(`
  select size, root, frontier, note
  from audit_checkpoints
  where workspace_id = :workspaceId
    and size > :position
  order by size
  limit 1`)

const hashesOf = (span: string) => `
  select (
    select string_agg(hash, ''::bytea order by position) ${span}
      and position >= span.first
      and position < span.past
  ) as hashes
  from unnest(:from::bigint[], :to::bigint[]) with ordinality as span(first, past, number)
  order by span.number`

const hashesOfLeaves = statement<Sql.HashesOfLeaves>(
  hashesOf('from audit_leaves where workspace_id = :workspaceId'),
)

const hashesOfNodes = statement<Sql.HashesOfNodes>(
  hashesOf('from audit_nodes where workspace_id = :workspaceId and level = #level'),
)

/** For each span of positions on a level, the hashes stored there, one after the other. */
export async function hashesOfSpans(
  db: Db,
  workspaceId: string,
  level: number,
  spans: Range[],
): Promise<Buffer[]> {
  const given = { workspaceId, from: spans.map((span) => span.from), to: spans.map((span) => span.to) }
  const rows =
    level === 0
      ? await readApart(db, hashesOfLeaves, given)
      : await readApart(db, hashesOfNodes, { ...given, level })
  return rows.map((row) => row.hashes ?? Buffer.alloc(0))
}

export const workspaceIds = readsSlowly.column<Sql.WorkspaceIds>()(`select id from workspaces order by id`)

/** How far the leaves and the checkpoints of a log reach, at one moment. */
export const extentOfLog = readsSlowly.only<Sql.ExtentOfLog>('workspaceId')(`
  select
    coalesce((select max(position) + 1 from audit_leaves where workspace_id = :workspaceId), 0) as leaves,
    coalesce((select max(size) from audit_checkpoints where workspace_id = :workspaceId), 0) as sealed`)

/** Where a log goes on after a hole: the first position from `from` on at which there is a leaf or a checkpoint ends. */
export const nextPosition = readsSlowly.onlyValue<Sql.NextPosition>('workspaceId, from')(`
  select least(
    (select min(position) from audit_leaves where workspace_id = :workspaceId and position >= :from),
    (select min(size) - 1 from audit_checkpoints where workspace_id = :workspaceId and size > :from)
  ) as next`)

const leavesWithEntriesSql = statement<Sql.LeavesWithEntries, LeafWithEntry>(`
  select
    leaf.position, leaf.entry_id, leaf.hash,
    found.workspace_id, found.team, found.actor_type, found.event, found.run_key, found.entry
  from audit_leaves as leaf
  left join lateral (
    select workspace_id, team, actor_type, event, run_key, entry
    from audit_entries
    where workspace_id = :workspaceId
      and id = leaf.entry_id
    limit 1
  ) as found on true
  where leaf.workspace_id = :workspaceId
    and leaf.position >= :from
    and leaf.position < :to
  order by leaf.position`)

/**
 * An entry that is not where it was sealed is looked for everywhere: one that was moved is to be named as moved. Not one
 * whose month is in a file.
 */
export async function leavesWithEntries(
  db: Db,
  workspaceId: string,
  { from, to }: Range,
  isArchived: (entryId: string) => boolean = () => false,
): Promise<LeafWithEntry[]> {
  const leaves = await readSlowly(db, leavesWithEntriesSql, { workspaceId, from, to })
  const lost = leaves.flatMap((leaf) =>
    leaf.entry === null && !isArchived(leaf.entry_id) ? [leaf.entry_id] : [],
  )
  if (lost.length === 0) return leaves
  const moved = new Map((await entriesElsewhere(db, workspaceId, lost)).map((entry) => [entry.id, entry]))
  return leaves.map((leaf) => ({ ...leaf, ...moved.get(leaf.entry_id) }))
}

/** There is no index for this, so all of them are looked up together. */
const entriesElsewhere = readsSlowly.many<Sql.EntriesElsewhere>('workspaceId, ids')(`
  select id, workspace_id, team, actor_type, event, run_key, entry
  from audit_entries
  where workspace_id <> :workspaceId
    and id = any(:ids::uuid[])`)

export const checkpointsWithin = readsSlowly.many<Sql.CheckpointsWithin>('workspaceId, { from, to }')(`
  select size, root, frontier, note
  from audit_checkpoints
  where workspace_id = :workspaceId
    and size > :from
    and size <= :to
  order by size`)

const storedNodesSql = statement<Sql.StoredNodes>(`
  select stored.hash
  from unnest(:levels::smallint[], :positions::bigint[])
    with ordinality as node(level, position, number)
  left join audit_nodes as stored
    on stored.workspace_id = :workspaceId
    and stored.level = node.level
    and stored.position = node.position
  order by node.number`)

/** The stored hash of each node, or null; in the order asked for. */
export async function storedNodes(
  db: Db,
  workspaceId: string,
  nodes: TreeNode[],
): Promise<(Buffer | null)[]> {
  return (
    await readSlowly(db, storedNodesSql, {
      workspaceId,
      levels: nodes.map((node) => node.level),
      positions: nodes.map((node) => node.position),
    })
  ).map((row) => row.hash)
}

/**
 * One statement, so that an entry that is being sealed is seen either as waiting or as sealed. A leaf below the
 * first position is in no tree and seals nothing.
 */
export const sealStateOfEntries = readsSlowly.many<Sql.SealStateOfEntries>('workspaceId, afterId, most')(`
  select entry.id, leaf.entry_id is not null as sealed, unsealed.entry_id is not null as waiting
  from (
    select id
    from audit_entries
    where workspace_id = :workspaceId
      and id > :afterId
    order by id
    limit #most
  ) as entry
  left join lateral (
    select entry_id
    from audit_leaves
    where entry_id = entry.id
      and workspace_id = :workspaceId
      and position >= 0
    limit 1
  ) as leaf on true
  left join lateral (
    select entry_id
    from audit_unsealed
    where workspace_id = :workspaceId
      and entry_id = entry.id
    limit 1
  ) as unsealed on true
  order by entry.id`)

/** The notes with which the log went from one key to the next; the newest first. */
export const keyChangesOf = readsApart.column<Sql.KeyChangesOf>('workspaceId')(`
  select note from audit_key_changes
  where workspace_id = :workspaceId
  order by changed_at desc`)

export const insertKeyChange = writes.run<Sql.InsertKeyChange>('workspaceId, note, changedAt')(`
  insert into audit_key_changes (workspace_id, note, changed_at)
  values (:workspaceId, :note, :changedAt)`)

/** Checkpoints that a timestamp authority has countersigned, with its answers. */
export const timestampsOf = readsSlowly.many<Sql.TimestampsOf>('workspaceId')(`
  select size, note, response, stamped_at as "stampedAt"
  from audit_timestamps
  where workspace_id = :workspaceId
  order by size`)

/** Months whose entries are in files, with the notes about them; the oldest first. */
export const archivedMonthsOf = readsApart.many<Sql.ArchivedMonthsOf>('workspaceId')(`
  select month, entries, file, note, restored, archived_at as "archivedAt"
  from audit_months
  where workspace_id = :workspaceId
  order by month`)

/** What says of itself that the log was set back; the oldest first. */
export const restoresOf = readsSlowly.many<Sql.RestoresOf, { entry: Json<AuditEntry> }>('workspaceId')(`
  select id, entry
  from audit_entries
  where workspace_id = :workspaceId
    and event = 'workspace_restored'
  order by id`)

/** What says of itself that a person was erased. */
export const erasuresOf = readsSlowly.many<Sql.ErasuresOf, { entry: Json<AuditEntry> }>('workspaceId')(`
  select id, entry
  from audit_entries
  where workspace_id = :workspaceId
    and event = 'person_erased'
  order by id`)

/** Which values are gone, by the erasure that took them; their digest is that of the entry. */
export const erasedValues = readsSlowly.many<Sql.ErasedValues>('workspaceId')(`
  select erasure as "erasure!", count(*)::int as "values!",
    encode(sha256(convert_to(string_agg(ref, '' order by ref), 'UTF8')), 'base64') as "digest!"
  from audit_personal
  where workspace_id = :workspaceId
    and erasure is not null
  group by erasure
  order by erasure`)

/** What entries refer to; without salt and value where it was erased. */
export const selectPersonalByRefs = readsApart.many<Sql.SelectPersonalByRefs>('workspaceId, refs')(`
  select ref, salt, value
  from audit_personal
  where workspace_id = :workspaceId
    and ref = any(:refs::text[])`)

/** Of these entries those of the second format, as they are stored. */
export const referringEntries = readsApart.many<Sql.ReferringEntries>('workspaceId, entryIds')(`
  select id, entry
  from audit_entries
  where workspace_id = :workspaceId
    and id = any(:entryIds::uuid[])
    and entry like '{"v":2,%'`)

/** Whether a server is running, which seals what waits. */
export const isServedInAllWorkspaces = readsSlowly.exists<Sql.IsServedInAllWorkspaces>()(`
  select from nodes where lease_until > clock_timestamp() limit 1`)

/** Rows that wait for a seal that can never come: their entry is gone, or is sealed already. */
export const strayUnsealed = readsSlowly.many<Sql.StrayUnsealed>('workspaceId, most')(`
  select unsealed.entry_id, leaf.entry_id is not null as sealed
  from audit_unsealed as unsealed
  left join lateral (
    select entry_id
    from audit_leaves
    where entry_id = unsealed.entry_id
    limit 1
  ) as leaf on true
  left join lateral (
    select id
    from audit_entries
    where id = unsealed.entry_id
      and workspace_id = unsealed.workspace_id
    limit 1
  ) as entry on true
  where unsealed.workspace_id = :workspaceId
    and (entry.id is null or leaf.entry_id is not null)
  order by unsealed.entry_id
  limit #most`)
