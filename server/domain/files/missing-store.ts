import { read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const missing = statement<{ sha256: string }>(`
  select f.sha256 from unnest(:files::text[]) as f(sha256)
  where not exists (
    select from kept_files k where k.workspace_id = :workspaceId and k.sha256 = f.sha256
  )`)

/** Which of these were not uploaded. */
export async function selectMissing(
  tx: Tx,
  workspaceId: string,
  files: readonly string[],
): Promise<string[]> {
  return (await read(tx, missing, { workspaceId, files })).map(({ sha256 }) => sha256)
}
