import { type Db, read } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const change = statement<{ diff: string | null; findings: string[] | null }>(`
  select r.memory ->> 'diff' as diff, r.memory -> 'findings' as findings
  from runs r where r.workspace_id = :workspaceId and r.key = :key`)

/** Which file holds the diff of a run's change, and what is said of it. */
export async function selectChange(db: Db, workspaceId: string, key: string) {
  return (await read(db, change, { workspaceId, key }))[0]
}
