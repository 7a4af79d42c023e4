import { sql } from 'kysely'
import { type Db, read, type Tx, write } from '../../../infra/db/db.ts'
import { statement } from '../../../infra/db/statement.ts'
import type { Phase } from '../phase.ts'

const turn = statement<{ phase: Phase; fence: number; attempt: number }>(`
  select phase, fence, attempts as attempt from runs where workspace_id = :workspaceId and id = :runId for share`)

/** Whose turn it is in a run; it stays so for the length of the transaction. */
export async function lockTurn(tx: Tx, workspaceId: string, runId: string) {
  return (await write(tx, turn, { workspaceId, runId }))[0]
}

export interface LogEnd {
  lines: number
  bytes: number
  fence: number
  chunk: number
  isFull: boolean
}

/** Where the log ends, held for the length of the transaction; of a run without a log, its beginning. */
export async function lockEnd(tx: Tx, workspaceId: string, runId: string): Promise<LogEnd> {
  const { rows } = await sql<LogEnd>`
    insert into run_log_ends as ending (run_id, workspace_id, lines, bytes, fence, chunk, is_full)
    values (${runId}, ${workspaceId}, 0, 0, 0, 0, false)
    on conflict (run_id) do update set lines = ending.lines
    returning lines, bytes, fence, chunk, is_full as "isFull"
  `.execute(tx)
  return rows[0]!
}

export async function insertLines(
  tx: Tx,
  workspaceId: string,
  run: { runId: string; attempt: number },
  after: number,
  lines: string[],
  at: Date,
  end: LogEnd,
): Promise<void> {
  await sql`
    with ending as (
      update run_log_ends set lines = ${end.lines}, bytes = ${end.bytes}, fence = ${end.fence},
        chunk = ${end.chunk}, is_full = ${end.isFull}
      where workspace_id = ${workspaceId} and run_id = ${run.runId}
    )
    insert into run_log (workspace_id, run_id, position, attempt, at, text)
    select ${workspaceId}::uuid, ${run.runId}::uuid, ${after}::integer + line.number, ${run.attempt}::integer,
      ${at}::timestamptz, line.text
    from unnest(${lines}::text[]) with ordinality as line (text, number)
  `.execute(tx)
}

const standing = statement<{ runId: string; lines: number; isOver: boolean }>(`
  select r.id as "runId", coalesce(e.lines, 0) as lines,
    r.phase in ('succeeded', 'failed', 'timed_out', 'stopped') as "isOver"
  from runs r
  left join run_log_ends e on e.run_id = r.id
  where r.workspace_id = :workspaceId [[and r.key = :key]] [[and r.id = :runId]]`)

/** How far the log is, and whether more can follow: one look, so that a run that is over is over for these lines. */
export async function selectStanding(
  db: Db,
  workspaceId: string,
  run: { key: string } | { runId: string },
): Promise<{ runId: string; lines: number; isOver: boolean } | undefined> {
  return (await read(db, standing, { workspaceId, ...run }))[0]
}

export interface LogLine {
  position: number
  attempt: number
  at: Date
  text: string
}

// Lines are numbered without a gap, so the range is the page. With a limit instead, a planner that knows nothing of the
// table yet may sort all that follows for each page.
const lines = statement<LogLine>(`
  select position, attempt, at, text from run_log
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
