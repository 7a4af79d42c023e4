import { affected, type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads, writes } from '../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

const insertFileSql = statement<Sql.InsertFile>(`
  insert into kept_files (workspace_id, sha256, bytes, size, made_at)
  values (:workspaceId, :sha256, :bytes, :length, :at)
  -- Held, so that it cannot go with its age before the run that brings it again has it.
  on conflict (workspace_id, sha256) do update set size = excluded.size
  returning xmax = 0 as "isNew!"`)

/** False: it is there already. */
export async function insertFile(
  tx: Tx,
  workspaceId: string,
  file: { sha256: string; bytes: Buffer; at: Date },
): Promise<boolean> {
  const [written] = await write(
    tx,
    insertFileSql,
    handedIn({ ...file, workspaceId, length: file.bytes.length }),
  )
  return written!.isNew
}

/** False: the run has it already. */
export const addToRun = writes.wroteOne<Sql.AddToRun>('workspaceId, runId, sha256')(`
  insert into run_files (workspace_id, run_id, sha256) values (:workspaceId, :runId, :sha256)
  on conflict do nothing`)

export const markRetained = writes.run<Sql.MarkRetained>('workspaceId, runId, files')(`
  update run_files set stays = true
  where workspace_id = :workspaceId and run_id = :runId and sha256 = any (:files::text[])`)

/** What the workspace keeps now, in bytes. */
export const addToWorkspace = writes.onlyValue<Sql.AddToWorkspace>('workspaceId, size')(`
  insert into kept_totals as kept (workspace_id, bytes) values (:workspaceId, :size)
  on conflict (workspace_id) do update set bytes = kept.bytes + excluded.bytes
  returning bytes`)

const addToOrderSql = statement<Sql.AddToOrder>(`
  update work_orders set files = files + 1, file_bytes = file_bytes + :size
  where workspace_id = :workspaceId and run_id = :runId and fence = :fence
    and files < :files and file_bytes + :size <= :bytes`)

/** False: that would be more than an order may bring. */
export async function addToOrder(
  tx: Tx,
  workspaceId: string,
  { runId, fence }: { runId: string; fence: number },
  size: number,
  most: { files: number; bytes: number },
): Promise<boolean> {
  return (
    (await affected(tx, addToOrderSql, {
      workspaceId,
      size,
      runId,
      fence,
      files: most.files,
      bytes: most.bytes,
    })) === 1
  )
}

const file = statement<Sql.File>(`
  select bytes from kept_files where workspace_id = :workspaceId and sha256 = :sha256`)

export async function selectFile(
  db: Db | Tx,
  workspaceId: string,
  sha256: string,
): Promise<{ bytes: Buffer } | undefined> {
  return (await read(db, file, { workspaceId, sha256 }))[0]
}

export const selectFileOfRun = reads.one<Sql.SelectFileOfRun>('workspaceId, runId, sha256')(`
  select k.bytes from run_files f
  join kept_files k on k.workspace_id = f.workspace_id and k.sha256 = f.sha256
  where f.workspace_id = :workspaceId and f.run_id = :runId and f.sha256 = :sha256`)
