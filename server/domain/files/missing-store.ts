import { read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const missing = statement<{ sha256: string }>(`
  select f.sha256 from unnest(:files::text[]) as f(sha256)
  where not exists (
    select from run_files k
    where k.workspace_id = :workspaceId and k.run_id = :runId and k.sha256 = f.sha256
  )`)

/** Which of these were not uploaded for the run. */
export async function selectMissing(
  tx: Tx,
  workspaceId: string,
  runId: string,
  files: readonly string[],
): Promise<string[]> {
  return (await read(tx, missing, { workspaceId, runId, files })).map(({ sha256 }) => sha256)
}
