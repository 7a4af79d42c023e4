import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

/** False: it is there already. */
export async function insertFile(
  tx: Tx,
  workspaceId: string,
  file: { sha256: string; bytes: Buffer; at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into kept_files (workspace_id, sha256, bytes, size, made_at)
    values (${workspaceId}, ${file.sha256}, ${file.bytes}, ${file.bytes.length}, ${file.at})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

/** False: the run has it already. */
export async function addToRun(tx: Tx, workspaceId: string, runId: string, sha256: string): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into run_files (workspace_id, run_id, sha256) values (${workspaceId}, ${runId}, ${sha256})
    on conflict do nothing
  `.execute(tx)
  return numAffectedRows === 1n
}

/** What the workspace keeps now, in bytes. */
export async function addToWorkspace(tx: Tx, workspaceId: string, size: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    insert into kept_totals as kept (workspace_id, bytes) values (${workspaceId}, ${size})
    on conflict (workspace_id) do update set bytes = kept.bytes + excluded.bytes
    returning bytes
  `.execute(tx)
  return rows[0]!.bytes
}

/** False: that would be more than an order may bring. */
export async function addToOrder(
  tx: Tx,
  workspaceId: string,
  { runId, fence }: { runId: string; fence: number },
  size: number,
  most: { files: number; bytes: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update work_orders set files = files + 1, file_bytes = file_bytes + ${size}
    where workspace_id = ${workspaceId} and run_id = ${runId} and fence = ${fence}
      and files < ${most.files} and file_bytes + ${size} <= ${most.bytes}
  `.execute(tx)
  return numAffectedRows === 1n
}

const file = statement<{ bytes: Buffer }>(`
  select bytes from kept_files where workspace_id = :workspaceId and sha256 = :sha256`)

export async function selectFile(
  db: Db | Tx,
  workspaceId: string,
  sha256: string,
): Promise<{ bytes: Buffer } | undefined> {
  return (await read(db, file, { workspaceId, sha256 }))[0]
}

const fileOfRun = statement<{ bytes: Buffer }>(`
  select k.bytes from run_files f
  join kept_files k on k.workspace_id = f.workspace_id and k.sha256 = f.sha256
  where f.workspace_id = :workspaceId and f.run_id = :runId and f.sha256 = :sha256`)

export async function selectFileOfRun(
  db: Db,
  workspaceId: string,
  runId: string,
  sha256: string,
): Promise<{ bytes: Buffer } | undefined> {
  return (await read(db, fileOfRun, { workspaceId, runId, sha256 }))[0]
}
