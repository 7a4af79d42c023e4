import { visible } from '@signalbox/contract/visible.ts'
import type { Context } from '../../../context.ts'
import { notFound } from '../../../errors.ts'
import { type LogLine, selectChunks, selectLines, selectStanding } from './store.ts'

export type { LogLine } from './store.ts'

export interface LogStanding {
  runId: string
  /** How many lines there are. They are numbered from 1, without a gap. */
  lines: number
  /** Nothing more follows, unless a person asks for another attempt. */
  isOver: boolean
}

/** How far the log of a run is. Of a run without one, nowhere. */
export async function findLog(
  ctx: Pick<Context, 'db' | 'workspaceId'>,
  run: { key: string } | { runId: string },
): Promise<LogStanding> {
  const standing = await selectStanding(ctx.db, ctx.workspaceId, run)
  if (!standing) throw notFound('run', 'key' in run ? run.key : run.runId)
  return standing
}

/** Reads on after a line. What is written now has nothing unseen in it; this is for what was written before. */
export async function readLog(
  ctx: Pick<Context, 'db' | 'workspaceId'>,
  runId: string,
  after: number,
  rows: number,
): Promise<readonly LogLine[]> {
  const lines = await selectLines(ctx.db, ctx.workspaceId, runId, after, rows)
  return lines.map((line) => ({ ...line, text: visible(line.text) }))
}

/** The last lines, and how many there are in all. */
export async function readLogTail(
  ctx: Context,
  key: string,
  rows: number,
): Promise<{ total: number; lines: readonly LogLine[] }> {
  const { runId, lines } = await findLog(ctx, { key })
  return { total: lines, lines: await readLog(ctx, runId, Math.max(0, lines - rows), rows) }
}

/** Which lines arrived together, and when. */
export const readChunks = (ctx: Pick<Context, 'db' | 'workspaceId'>, runId: string) =>
  selectChunks(ctx.db, ctx.workspaceId, runId)
