import { type Db, read } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

const change = statement<{
  diff: string | null
  /** In several repositories: that of each which was changed. */
  diffs: { name: string; diff: string }[]
  findings: string[] | null
}>(`
  select r.memory ->> 'diff' as diff, r.memory -> 'findings' as findings, coalesce((
      select json_agg(json_build_object('name', part ->> 'name', 'diff', part ->> 'diff') order by part ->> 'name')
      from jsonb_array_elements(r.memory -> 'parts') part where part ->> 'diff' is not null
    ), '[]') as diffs
  from runs r where r.workspace_id = :workspaceId and r.key = :key`)

/** Which file holds the diff of a run's change, and what is said of it. */
export async function selectChange(db: Db, workspaceId: string, key: string) {
  return (await read(db, change, { workspaceId, key }))[0]
}
