import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, readSlowly, type Tx, write } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'
import type { AuditCheckpoints } from '../../infra/db/tables.ts'
import { firstIdAt, timeOfId } from '../../infra/ids.ts'
import type { Range, TreeNode } from '../../infra/merkle.ts'

export type StoredCheckpoint = Pick<AuditCheckpoints, 'size' | 'root' | 'frontier' | 'note'>

export interface NewLeaf {
  entryId: string
  hash: Buffer
}

/** A leaf and the entry it stands for, all of whose columns are null when the entry is gone. */
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

const sealing = statement<{ locked: boolean }>(`
  select pg_try_advisory_xact_lock(${sealLock}, hashtext(:workspaceId)) as locked`)

/** Of several nodes one seals; the others do not wait for it. */
export async function lockSeals(tx: Tx, workspaceId: string): Promise<boolean> {
  return (await write(tx, sealing, { workspaceId }))[0]!.locked
}

export async function workspacesToSeal(db: Db): Promise<string[]> {
  const rows = await readSlowly<{ workspace_id: string }>(
    db,
    sql`
      select distinct workspace_id
      from audit_unsealed
      order by workspace_id
    `,
  )
  return rows.map((row) => row.workspace_id)
}

/**
 * Rows that wait, oldest first, with their entries; null where the entry is gone, or has a leaf already.
 * The queue's statistics are always out of date, so nothing is left to them: the inner limit comes before the
 * entries are looked up, and the lateral ones keep the planner from scanning those.
 */
export async function rowsToSeal(
  tx: Tx,
  workspaceId: string,
  afterId: string,
  most: number,
): Promise<{ id: string; entry: string | null }[]> {
  return readSlowly(
    tx,
    sql`
      select unsealed.entry_id as id, waiting.entry
      from (
        select entry_id
        from audit_unsealed
        where workspace_id = ${workspaceId}
          and entry_id > ${afterId}
        order by entry_id
        limit ${sql.lit(most)}
      ) as unsealed
      left join lateral (
        select entry
        from audit_entries
        where workspace_id = ${workspaceId}
          and id = unsealed.entry_id
          and not exists (select from audit_leaves where audit_leaves.entry_id = audit_entries.id)
        limit 1
      ) as waiting on true
      order by unsealed.entry_id
    `,
  )
}

export async function newestCheckpoint(
  db: Db | Tx,
  workspaceId: string,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await readSlowly<StoredCheckpoint>(
    db,
    sql`
      select size, root, frontier, note
      from audit_checkpoints
      where workspace_id = ${workspaceId}
      order by size desc
      limit 1
    `,
  )
  return row
}

/** The newest checkpoint with the time of its seal, and how many entries wait for the next. */
export async function sealState(
  db: Db,
  workspaceId: string,
): Promise<{
  checkpoint: (Pick<StoredCheckpoint, 'size' | 'note'> & { sealedAt: Date }) | null
  waiting: number
}> {
  const [[newest], [unsealed]] = await Promise.all([
    readSlowly<Pick<StoredCheckpoint, 'size' | 'note'> & { sealedAt: Date }>(
      db,
      sql`
        select size, note, sealed_at as "sealedAt"
        from audit_checkpoints
        where workspace_id = ${workspaceId}
        order by size desc
        limit 1
      `,
    ),
    readSlowly<{ waiting: number }>(
      db,
      sql`select count(*)::int as waiting from audit_unsealed where workspace_id = ${workspaceId}`,
    ),
  ])
  return { checkpoint: newest ?? null, waiting: unsealed!.waiting }
}

export async function insertLeaves(
  tx: Tx,
  workspaceId: string,
  first: number,
  leaves: NewLeaf[],
): Promise<void> {
  // All hashes as one value: each is as long as the next.
  await sql`
    insert into audit_leaves (workspace_id, position, entry_id, hash)
    select ${workspaceId}, ${first}::bigint + leaf.number - 1, leaf.entry_id,
      substr(${Buffer.concat(leaves.map((leaf) => leaf.hash))}::bytea, (leaf.number::int - 1) * 32 + 1, 32)
    from unnest(${leaves.map((leaf) => leaf.entryId)}::uuid[]) with ordinality as leaf(entry_id, number)
  `.execute(tx)
}

export async function insertNodes(tx: Tx, workspaceId: string, nodes: TreeNode[]): Promise<void> {
  await sql`
    insert into audit_nodes (workspace_id, level, position, hash)
    select ${workspaceId}, level, position, hash
    from unnest(
      ${nodes.map((node) => node.level)}::smallint[],
      ${nodes.map((node) => node.position)}::bigint[],
      ${nodes.map((node) => node.hash)}::bytea[]
    ) as node(level, position, hash)
  `.execute(tx)
}

export async function insertCheckpoint(
  tx: Tx,
  workspaceId: string,
  checkpoint: StoredCheckpoint,
  sealedAt: Date,
): Promise<void> {
  const { size, root, frontier, note } = checkpoint
  await sql`
    insert into audit_checkpoints (workspace_id, size, root, frontier, note, sealed_at)
    values (${workspaceId}, ${size}, ${root}, ${frontier}, ${note}, ${sealedAt})
  `.execute(tx)
}

export async function deleteUnsealed(tx: Tx, workspaceId: string, leaves: NewLeaf[]): Promise<void> {
  await sql`
    delete from audit_unsealed
    where workspace_id = ${workspaceId}
      and entry_id = any(${leaves.map((leaf) => leaf.entryId)}::uuid[])
  `.execute(tx)
}

/** The newest signed note of every workspace. */
export async function newestNotesOfAllWorkspaces(db: Db): Promise<string[]> {
  const rows = await readSlowly<{ note: string }>(
    db,
    sql`
      select newest.note
      from workspaces w
      cross join lateral (
        select note
        from audit_checkpoints
        where workspace_id = w.id
        order by size desc
        limit 1
      ) as newest
    `,
  )
  return rows.map((row) => row.note)
}

export async function entriesOfExport(
  db: Db,
  workspaceId: string,
  exportId: string,
): Promise<string[] | undefined> {
  const [row] = await readSlowly<{ entries: string[] }>(
    db,
    sql`
      select entries
      from audit_exports
      where workspace_id = ${workspaceId}
        and id = ${exportId}
    `,
  )
  return row?.entries
}

// More than the timeouts of the database leave a transaction, and than a clock is set back.
const recordedWithinMs = 10 * 60_000

/** The entry that records an export: made with it, so it is looked for only around the time that the export's id tells. */
export async function recordOfExport(
  db: Db,
  workspaceId: string,
  exportId: string,
): Promise<{ id: string; entry: Json<AuditEntry> } | undefined> {
  const exported = timeOfId(exportId).getTime()
  const [row] = await readSlowly<{ id: string; entry: Json<AuditEntry> }>(
    db,
    sql`
      select id, entry
      from audit_entries
      where workspace_id = ${workspaceId}
        and event = 'audit_exported'
        and id >= ${firstIdAt(new Date(exported - recordedWithinMs))}
        and id < ${firstIdAt(new Date(exported + recordedWithinMs))}
        and entry::json #>> '{entity,id}' = ${exportId}
      order by id
      limit 1
    `,
  )
  return row
}

export async function leavesOfEntries(
  db: Db,
  workspaceId: string,
  entryIds: string[],
): Promise<{ entry_id: string; position: number; hash: Buffer }[]> {
  return readSlowly(
    db,
    sql`
      select entry_id, position, hash
      from audit_leaves
      where workspace_id = ${workspaceId}
        and entry_id = any(${entryIds}::uuid[])
    `,
  )
}

/** The first checkpoint that covers the position, so that a proof made twice is the same proof. */
export async function checkpointCovering(
  db: Db,
  workspaceId: string,
  position: number,
): Promise<StoredCheckpoint | undefined> {
  const [row] = await readSlowly<StoredCheckpoint>(
    db,
    sql`
      select size, root, frontier, note
      from audit_checkpoints
      where workspace_id = ${workspaceId}
        and size > ${position}
      order by size
      limit 1
    `,
  )
  return row
}

/** For each span of positions on a level, the hashes stored there, one after the other. */
export async function hashesOfSpans(
  db: Db,
  workspaceId: string,
  level: number,
  spans: Range[],
): Promise<Buffer[]> {
  const ofSpan =
    level === 0
      ? sql`from audit_leaves where workspace_id = ${workspaceId}`
      : sql`from audit_nodes where workspace_id = ${workspaceId} and level = ${sql.lit(level)}`
  const rows = await readSlowly<{ hashes: Buffer | null }>(
    db,
    sql`
      select (
        select string_agg(hash, ''::bytea order by position)
        ${ofSpan}
          and position >= span.first
          and position < span.past
      ) as hashes
      from unnest(${spans.map((span) => span.from)}::bigint[], ${spans.map((span) => span.to)}::bigint[])
        with ordinality as span(first, past, number)
      order by span.number
    `,
  )
  return rows.map((row) => row.hashes ?? Buffer.alloc(0))
}

export async function workspaceIds(db: Db): Promise<string[]> {
  const rows = await readSlowly<{ id: string }>(db, sql`select id from workspaces order by id`)
  return rows.map((row) => row.id)
}

/** How far the leaves and the checkpoints of a log reach, at one moment. */
export async function extentOfLog(db: Db, workspaceId: string): Promise<{ leaves: number; sealed: number }> {
  const [row] = await readSlowly<{ leaves: number; sealed: number }>(
    db,
    sql`
      select
        coalesce((select max(position) + 1 from audit_leaves where workspace_id = ${workspaceId}), 0) as leaves,
        coalesce((select max(size) from audit_checkpoints where workspace_id = ${workspaceId}), 0) as sealed
    `,
  )
  return row!
}

/** Where a log goes on after a hole: the first position from `from` on at which there is a leaf or a checkpoint ends. */
export async function nextPosition(db: Db, workspaceId: string, from: number): Promise<number | null> {
  const [row] = await readSlowly<{ next: number | null }>(
    db,
    sql`
      select least(
        (select min(position) from audit_leaves where workspace_id = ${workspaceId} and position >= ${from}),
        (select min(size) - 1 from audit_checkpoints where workspace_id = ${workspaceId} and size > ${from})
      ) as next
    `,
  )
  return row!.next
}

/** An entry that is not where it was sealed is looked for everywhere: one that was moved is to be named as moved. */
export async function leavesWithEntries(
  db: Db,
  workspaceId: string,
  { from, to }: Range,
): Promise<LeafWithEntry[]> {
  const leaves = await readSlowly<LeafWithEntry>(
    db,
    sql`
      select
        leaf.position, leaf.entry_id, leaf.hash,
        found.workspace_id, found.team, found.actor_type, found.event, found.run_key, found.entry
      from audit_leaves as leaf
      left join lateral (
        select workspace_id, team, actor_type, event, run_key, entry
        from audit_entries
        where workspace_id = ${workspaceId}
          and id = leaf.entry_id
        limit 1
      ) as found on true
      where leaf.workspace_id = ${workspaceId}
        and leaf.position >= ${from}
        and leaf.position < ${to}
      order by leaf.position
    `,
  )
  const lost = leaves.flatMap((leaf) => (leaf.entry === null ? [leaf.entry_id] : []))
  if (lost.length === 0) return leaves
  const moved = new Map((await entriesElsewhere(db, workspaceId, lost)).map((entry) => [entry.id, entry]))
  return leaves.map((leaf) => ({ ...leaf, ...moved.get(leaf.entry_id) }))
}

/** No index leads there, so all of them are sought at once. */
async function entriesElsewhere(
  db: Db,
  workspaceId: string,
  ids: string[],
): Promise<(Omit<LeafWithEntry, 'position' | 'entry_id' | 'hash'> & { id: string })[]> {
  return readSlowly(
    db,
    sql`
      select id, workspace_id, team, actor_type, event, run_key, entry
      from audit_entries
      where workspace_id <> ${workspaceId}
        and id = any(${ids}::uuid[])
    `,
  )
}

export async function checkpointsWithin(
  db: Db,
  workspaceId: string,
  { from, to }: Range,
): Promise<StoredCheckpoint[]> {
  return readSlowly(
    db,
    sql`
      select size, root, frontier, note
      from audit_checkpoints
      where workspace_id = ${workspaceId}
        and size > ${from}
        and size <= ${to}
      order by size
    `,
  )
}

/** The stored hash of each node, or null; in the order asked for. */
export async function storedNodes(
  db: Db,
  workspaceId: string,
  nodes: TreeNode[],
): Promise<(Buffer | null)[]> {
  const rows = await readSlowly<{ hash: Buffer | null }>(
    db,
    sql`
      select stored.hash
      from unnest(${nodes.map((node) => node.level)}::smallint[], ${nodes.map((node) => node.position)}::bigint[])
        with ordinality as node(level, position, number)
      left join audit_nodes as stored
        on stored.workspace_id = ${workspaceId}
        and stored.level = node.level
        and stored.position = node.position
      order by node.number
    `,
  )
  return rows.map((row) => row.hash)
}

/**
 * One statement, so that an entry that is sealed meanwhile is seen either as waiting or as sealed. A leaf below the
 * first position is in no tree and seals nothing.
 */
export async function sealStateOfEntries(
  db: Db,
  workspaceId: string,
  afterId: string,
  most: number,
): Promise<{ id: string; sealed: boolean; waiting: boolean }[]> {
  return readSlowly(
    db,
    sql`
      select entry.id, leaf.entry_id is not null as sealed, unsealed.entry_id is not null as waiting
      from (
        select id
        from audit_entries
        where workspace_id = ${workspaceId}
          and id > ${afterId}
        order by id
        limit ${sql.lit(most)}
      ) as entry
      left join lateral (
        select entry_id
        from audit_leaves
        where entry_id = entry.id
          and workspace_id = ${workspaceId}
          and position >= 0
        limit 1
      ) as leaf on true
      left join lateral (
        select entry_id
        from audit_unsealed
        where workspace_id = ${workspaceId}
          and entry_id = entry.id
        limit 1
      ) as unsealed on true
      order by entry.id
    `,
  )
}

/** Rows that wait for a seal that can never come: their entry is gone, or is sealed already. */
export async function strayUnsealed(
  db: Db,
  workspaceId: string,
  most: number,
): Promise<{ entry_id: string; sealed: boolean }[]> {
  return readSlowly(
    db,
    sql`
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
      where unsealed.workspace_id = ${workspaceId}
        and (entry.id is null or leaf.entry_id is not null)
      order by unsealed.entry_id
      limit ${sql.lit(most)}
    `,
  )
}
