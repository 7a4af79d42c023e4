import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { reads } from '../../../infra/db/queries.ts'
import { statement } from '../../../infra/db/statement.ts'
import type * as Sql from './store.types.ts'

const insertEvidenceSql = statement<Sql.InsertEvidence>(`
  insert into attempt_evidence (workspace_id, run_id, attempt, repository, envelope, runner, public_key, recorded_at)
  values (:workspaceId, :runId, :attempt, :repository, :envelope, :runner, :key, :at)
  on conflict (workspace_id, run_id, attempt, repository) do update set envelope = excluded.envelope,
    runner = excluded.runner, public_key = excluded.public_key, recorded_at = excluded.recorded_at`)

export async function insertEvidence(
  tx: Tx,
  workspaceId: string,
  evidence: {
    runId: string
    attempt: number
    /** Of a run in several repositories: in which of them; empty otherwise. */
    repository: string
    envelope: string
    runner: string
    key: string
    at: Date
  },
): Promise<void> {
  const { runId, attempt, repository, envelope, runner, key, at } = evidence
  await write(tx, insertEvidenceSql, { workspaceId, runId, attempt, repository, envelope, runner, key, at })
}

const newest = statement<Sql.Newest>(`
  select e.envelope, e.runner, e.public_key as key, e.attempt
  from runs r
  left join attempt_evidence e on e.workspace_id = r.workspace_id and e.run_id = r.id
    [[and e.repository = :repository]]
  where r.workspace_id = :workspaceId and r.key = :run
  -- Of a race the evidence is that of the change at hand, which need not be the newest.
  order by (r.memory #>> array['race', 'results', r.memory -> 'race' ->> 'at', 'attempt'])::int is not distinct from e.attempt desc,
    e.attempt desc, e.repository
  limit 1`)

/** Of the newest attempt that has any; without an envelope when the run has none. */
export async function selectEvidence(
  db: Db,
  workspaceId: string,
  run: string,
  repository: string | undefined,
) {
  return (
    await read(db, newest, { workspaceId, run, ...(repository === undefined ? {} : { repository }) })
  )[0]
}

/** The entry of the log that holds the envelope's hash. */
export const selectRecording = reads.one<Sql.SelectRecording, { id: string; entry: Json<AuditEntry> }>(
  'workspaceId, run, envelope',
)(`
  select id, entry from audit_entries
  where workspace_id = :workspaceId and run_key = :run and event = 'run_state_changed'
    and entry::json #>> '{details,evidence}' = :envelope
  order by id desc
  limit 1`)
