import { reads, writes } from '../../../infra/db/queries.ts'
import type * as Sql from './old-store.types.ts'

/**
 * Runs that ended before then and have files, the oldest first, held. One that may still move, be reverted or be merged
 * is left alone, however old it is.
 */
export const lockRunsWithOldFiles = writes.column<Sql.LockRunsWithOldFiles>(
  'workspaceId, { before, beforeId, most }',
)(`
  select r.id from runs r
  join (
    select f.run_id from run_files f
    where f.workspace_id = :workspaceId and f.run_id < :beforeId and not f.stays
    group by f.run_id
  ) as has on has.run_id = r.id
  where r.workspace_id = :workspaceId and r.phase in ('succeeded', 'failed', 'timed_out', 'stopped')
    and not exists (
      select from attempts a where a.workspace_id = r.workspace_id and a.run_id = r.id and a.completed_at >= :before
    )
    and not exists (
      select from pull_requests p where p.workspace_id = r.workspace_id and p.run_id = r.id and p.state = 'open'
    )
    and not exists (select from effects e where e.run_id = r.id and e.due_at is not null)
    and not exists (
      select from decisions d where d.workspace_id = r.workspace_id and d.run_id = r.id and d.status = 'pending'
    )
  order by r.id
  limit #most
  for no key update of r`)

/**
 * What was signed about a run by releases that did not mark it: the envelope of each attempt, and the statements that
 * were signed with it, which are only in the log.
 */
export const markEvidence = writes.run<Sql.MarkEvidence>('workspaceId, runId')(`
  update run_files f set stays = true
  where f.workspace_id = :workspaceId and f.run_id = :runId and not f.stays and f.sha256 in (
    select e.envelope from attempt_evidence e where e.workspace_id = :workspaceId and e.run_id = :runId
    union all
    select json_array_elements_text(a.entry::json #> '{details,statements}') from audit_entries a
    join runs r on r.workspace_id = a.workspace_id and r.key = a.run_key
    where a.workspace_id = :workspaceId and a.event = 'run_state_changed' and r.id = :runId
  )`)

export const deleteFilesOfRun = writes.column<Sql.DeleteFilesOfRun>('workspaceId, runId')(`
  delete from run_files where workspace_id = :workspaceId and run_id = :runId and not stays
  returning sha256`)

/** Holds them: a run that brings one of them again has it before this, or waits. */
export const lockFiles = writes.run<Sql.LockFiles>('workspaceId, files')(`
  select from kept_files where workspace_id = :workspaceId and sha256 = any (:files::text[])
  order by sha256
  for update`)

/** Deletes those of the files that nothing refers to any more. Returns their sizes. */
export const deleteUnused = writes.column<Sql.DeleteUnused>('workspaceId, files')(`
  delete from kept_files k
  where k.workspace_id = :workspaceId and k.sha256 = any (:files::text[])
    and not exists (select from run_files f where f.workspace_id = k.workspace_id and f.sha256 = k.sha256)
    and not exists (
      select from attempt_evidence e where e.workspace_id = k.workspace_id and e.envelope = k.sha256
    )
  returning size`)

export const markFilesRemoved = writes.run<Sql.MarkFilesRemoved>('workspaceId, runId, at')(`
  update runs set files_removed_at = :at where workspace_id = :workspaceId and id = :runId`)

export const subtractFromWorkspace = writes.run<Sql.SubtractFromWorkspace>('workspaceId, bytes')(`
  update kept_totals set bytes = bytes - :bytes where workspace_id = :workspaceId`)

/** When files of a run were removed because of their age; null: none were. */
export const selectFilesRemovedAt = reads.one<Sql.SelectFilesRemovedAt>('workspaceId, key')(`
  select files_removed_at as "removedAt" from runs where workspace_id = :workspaceId and key = :key`)
