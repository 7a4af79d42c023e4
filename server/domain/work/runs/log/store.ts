import { type Db, read, type Tx, write } from '../../../../infra/db/db.ts'
import { type Nothing, reads, readsApart, writes } from '../../../../infra/db/queries.ts'
import { handedIn, statement } from '../../../../infra/db/statement.ts'
import type { Phase } from '../phase.ts'
import type * as Sql from './store.types.ts'

/** Whose turn it is in a run; it stays so for the length of the transaction. */
export const lockTurn = writes.one<Sql.LockTurn, { phase: Phase; fence: number; attempt: number }>(
  'workspaceId, runId',
)(`
  select phase, fence, attempts as attempt from runs where workspace_id = :workspaceId and id = :runId for share`)

export type LogEnd = Sql.LockEnd['row']

/** Where the log ends, held for the length of the transaction; of a run without a log, its beginning. */
export const lockEnd = writes.only<Sql.LockEnd>('workspaceId, runId')(`
  insert into run_log_ends as ending (run_id, workspace_id, lines, bytes, fence, chunk, is_full)
  values (:runId, :workspaceId, 0, 0, 0, 0, false)
  on conflict (run_id) do update set lines = ending.lines
  returning lines, bytes, fence, chunk, is_full as "isFull"`)

const insertLinesSql = statement<Sql.InsertLines>(`
  with ending as (
    update run_log_ends set lines = :lines, bytes = :bytes, fence = :fence, chunk = :chunk, is_full = :isFull
    where workspace_id = :workspaceId and run_id = :runId
  )
  insert into run_log (workspace_id, run_id, position, attempt, at, text, colours)
  select :workspaceId::uuid, :runId::uuid, :after::integer + line.number, :attempt::integer,
    :at::timestamptz, line.text, line.colours
  from unnest(:texts::text[], :colours::text[]) with ordinality as line (text, colours, number)`)

/** A line as it is stored: what is read and searched, and the colours in which it was printed. */
export interface StoredLine {
  text: string
  colours: string | null
}

export async function insertLines(
  tx: Tx,
  workspaceId: string,
  run: { runId: string; attempt: number },
  after: number,
  lines: readonly StoredLine[],
  at: Date,
  end: LogEnd,
): Promise<void> {
  await write(
    tx,
    insertLinesSql,
    handedIn({
      ...end,
      workspaceId,
      runId: run.runId,
      after,
      attempt: run.attempt,
      at,
      texts: lines.map(({ text }) => text),
      colours: lines.map(({ colours }) => colours),
    }),
  )
}

/** How far the log is, and whether more can follow: one look, so that a run that is over is over for these lines. */
export const selectStanding = reads.one<Sql.SelectStanding, Nothing, { key: string } | { runId: string }>(
  'workspaceId, ...run',
)(`
  select r.id as "runId", coalesce(e.lines, 0) as lines,
    r.phase in ('succeeded', 'failed', 'timed_out', 'stopped') as "isOver"
  from runs r
  left join run_log_ends e on e.run_id = r.id
  where r.workspace_id = :workspaceId [[and r.key = :key]] [[and r.id = :runId]]`)

export type LogLine = Sql.Lines['row']

// Lines are numbered without a gap, so the range is the page. With a limit instead, a planner that knows nothing of the
// table yet may sort all that follows for each page.
const lines = statement<Sql.Lines>(`
  select position, attempt, at, text, colours from run_log
  where workspace_id = :workspaceId and run_id = :runId and position > :after and position <= :until
  order by position`)

export async function selectLines(
  db: Db,
  workspaceId: string,
  runId: string,
  after: number,
  rows: number,
): Promise<readonly LogLine[]> {
  return read(db, lines, { workspaceId, runId, after, until: after + rows })
}

/**
 * Where lines that were quoted elsewhere were printed last. Runners quote a line without the space around it, and of a
 * long one the beginning.
 */
export const selectQuoted = readsApart.many<Sql.SelectQuoted>('workspaceId, runId, texts')(`
  select left(btrim(text, E' \\t'), 500) as "text!", max(position) as "position!" from run_log
  where workspace_id = :workspaceId and run_id = :runId and left(btrim(text, E' \\t'), 500) = any (:texts::text[])
  group by 1`)

/** Which lines came together, and when: what a page of steps needs of a log, however long it is. */
export const selectChunks = readsApart.many<Sql.SelectChunks>('workspaceId, runId')(`
  select extract(epoch from at)::float8 * 1000 as "at!", min(position) as "first!", max(position) as "last!"
  from run_log where workspace_id = :workspaceId and run_id = :runId
  group by at order by 1`)

/** Logs that have not been swept so far yet: of runs that are over, and whose last line is from before then. */
export const lockOldLogs = writes.many<Sql.LockOldLogs>('workspaceId, { swept, before, beforeId, most }')(`
  select e.run_id as "runId", e.lines
  from run_log_ends e
  join runs r on r.workspace_id = e.workspace_id and r.id = e.run_id
  where e.workspace_id = :workspaceId and e.lines > 0
    and e.swept is distinct from :swept and e.swept is distinct from 'removed'
    and r.id < :beforeId and r.phase in ('succeeded', 'failed', 'timed_out', 'stopped')
    and (select l.at from run_log l where l.run_id = e.run_id and l.position = e.lines) < :before
  order by e.run_id
  limit #most
  for update of e`)

export const selectLastLines = writes.many<Sql.SelectLastLines>('workspaceId, runId, after')(`
  select position, attempt, at, text, colours from run_log
  where workspace_id = :workspaceId and run_id = :runId and position > :after
  order by position`)

export const deleteLinesAfter = writes.run<Sql.DeleteLinesAfter>('workspaceId, runId, after')(`
  delete from run_log where workspace_id = :workspaceId and run_id = :runId and position > :after`)

export const insertKeptLines = writes.run<Sql.InsertKeptLines>(
  'workspaceId, runId, { after, attempts, ats, texts, colours }',
)(`
  insert into run_log (workspace_id, run_id, position, attempt, at, text, colours)
  select :workspaceId, :runId, :after::integer + line.number, line.attempt, line.at, line.text, line.colours
  from unnest(:attempts::integer[], :ats::timestamptz[], :texts::text[], :colours::text[])
    with ordinality as line (attempt, at, text, colours, number)`)

export const updateSwept = writes.run<Sql.UpdateSwept>('workspaceId, runId, { swept, lines }')(`
  update run_log_ends set swept = :swept, lines = :lines
  where workspace_id = :workspaceId and run_id = :runId`)
