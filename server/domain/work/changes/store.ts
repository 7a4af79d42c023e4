import type { Evidence } from '@signalbox/contract/run.ts'
import { reads } from '../../../infra/db/queries.ts'
import type * as Sql from './store.types.ts'

/** Which file holds the diff of a run's change, and what is said of it. */
export const selectChange = reads.one<
  Sql.SelectChange,
  {
    diff: string | null
    /** In several repositories: that of each which was changed. */
    diffs: { name: string; diff: string }[]
    findings: string[] | null
  }
>('workspaceId, key, agent')(`
  -- Of a race, what one agent made: the other's may be the change at hand.
  select case when :agent?::text is null or r.memory -> 'race' ->> 'at' = :agent and r.memory #> array['race', 'results', :agent] = 'null'
      then r.memory ->> 'diff' else r.memory #>> array['race', 'results', :agent, 'diff'] end as diff,
    case when :agent::text is null then r.memory -> 'findings'
      else r.memory #> array['race', 'results', :agent, 'made', 'findings'] end as findings, coalesce((
      select json_agg(json_build_object('name', part ->> 'name', 'diff', part ->> 'diff') order by part ->> 'name')
      from jsonb_array_elements(r.memory -> 'parts') part where part ->> 'diff' is not null
    ), '[]') as diffs, r.files_removed_at is not null as "isRemoved!"
  from runs r where r.workspace_id = :workspaceId and r.key = :key`)

/** What is said of a run's criteria, with the proofs as they were reported. */
export const selectEvidence = reads.one<
  Sql.SelectEvidence,
  { runId: string; criteria: Evidence['criteria'] | null }
>('workspaceId, key')(`
  select r.id as "runId", r.evidence -> 'criteria' as criteria
  from runs r where r.workspace_id = :workspaceId and r.key = :key`)
