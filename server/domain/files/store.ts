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

const file = statement<{ bytes: Buffer }>(`
  select bytes from kept_files where workspace_id = :workspaceId and sha256 = :sha256`)

export async function selectFile(
  db: Db | Tx,
  workspaceId: string,
  sha256: string,
): Promise<{ bytes: Buffer } | undefined> {
  return (await read(db, file, { workspaceId, sha256 }))[0]
}
