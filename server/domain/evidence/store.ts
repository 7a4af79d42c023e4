import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import { sql } from 'kysely'
import { type Db, read, type Tx } from '../../infra/db/db.ts'
import { statement } from '../../infra/db/statement.ts'

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
  await sql`
    insert into attempt_evidence (workspace_id, run_id, attempt, repository, envelope, runner, public_key, recorded_at)
    values (${workspaceId}, ${runId}, ${attempt}, ${repository}, ${envelope}, ${runner}, ${key}, ${at})
    on conflict (workspace_id, run_id, attempt, repository) do update set envelope = excluded.envelope,
      runner = excluded.runner, public_key = excluded.public_key, recorded_at = excluded.recorded_at
  `.execute(tx)
}

const newest = statement<{ envelope: string | null; runner: string; key: string; attempt: number }>(`
  select e.envelope, e.runner, e.public_key as key, e.attempt
  from runs r
  left join attempt_evidence e on e.workspace_id = r.workspace_id and e.run_id = r.id
    [[and e.repository = :repository]]
  where r.workspace_id = :workspaceId and r.key = :run
  order by e.attempt desc, e.repository
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

const recording = statement<{ id: string; entry: Json<AuditEntry> }>(`
  select id, entry from audit_entries
  where workspace_id = :workspaceId and run_key = :run and event = 'run_state_changed'
    and entry::json #>> '{details,evidence}' = :envelope
  order by id desc
  limit 1`)

/** The entry of the log that holds the envelope's hash. */
export async function selectRecording(db: Db, workspaceId: string, run: string, envelope: string) {
  return (await read(db, recording, { workspaceId, run, envelope }))[0]
}
