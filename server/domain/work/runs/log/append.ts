import { coloursOf } from '@signalbox/contract/line-colours.ts'
import { visible } from '@signalbox/contract/visible.ts'
import type { Context } from '../../../context.ts'
import { DomainError, notFound } from '../../../errors.ts'
import type { LogChunk, OrderRef, Verdict } from '../../../ports/work.ts'
import { housekeeping } from '../../../record/audit/change.ts'
import { insertLines, type LogEnd, lockEnd, lockTurn, type StoredLine } from './store.ts'

/** What one chunk may hold. */
export const maxChunkBytes = 65_536
const maxLineLength = 8_192
/** What the log of one run may hold, over all its attempts. */
const limits = { lines: 50_000, bytes: 20_000_000 }
export type LogLimits = typeof limits

/**
 * Writes down what a worker printed. A log is not a change: it moves nothing and decides nothing, it comes by the
 * thousand lines a second, and what it leads to has entries of its own. So it is written without an audit entry. As
 * with reports, a chunk that arrives twice counts once, and one of an outdated order is refused: the verdict tells the
 * worker to stop. A log is not a sign of life either; an agent that prints endlessly still has to report. A worker that
 * keeps unsent lines is told about a gap; others skip what they could not send.
 */
export async function appendLog(
  ctx: Context,
  order: OrderRef,
  chunk: LogChunk,
  most: LogLimits = limits,
  { gapless = false } = {},
): Promise<Verdict> {
  const bytes = chunk.lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0)
  if (bytes > maxChunkBytes)
    throw new DomainError('invalid_request', `A log chunk can have at most ${maxChunkBytes} bytes.`)
  const lines = chunk.lines.flatMap((text) => text.split(/\r?\n/)).map(sanitized)
  return housekeeping(ctx.db, 'what a worker printed', async (tx) => {
    const run = await lockTurn(tx, ctx.workspaceId, order.runId)
    if (!run) throw notFound('run', order.runId)
    if (order.fence > run.fence) throw new DomainError('conflict', 'There is no such work order yet.')
    if (order.fence < run.fence || run.phase !== 'working') return 'stop'
    const end = await lockEnd(tx, ctx.workspaceId, order.runId)
    const next = end.fence === order.fence ? end.chunk + 1 : 1
    if (gapless && !end.isFull && chunk.number > next)
      throw new DomainError('report_gap', `Expected chunk ${next} next, not ${chunk.number}.`, { next })
    const isKnown = end.fence === order.fence && end.chunk >= chunk.number
    if (isKnown || end.isFull) return 'go_on'
    const { kept, isFull } = fitting(lines, end, most)
    await insertLines(
      tx,
      ctx.workspaceId,
      { runId: order.runId, attempt: run.attempt },
      end.lines,
      kept,
      ctx.clock.now(),
      {
        lines: end.lines + kept.length,
        bytes: kept.reduce((sum, line) => sum + bytesOf(line), end.bytes),
        fence: order.fence,
        chunk: chunk.number,
        isFull,
      },
    )
    return 'go_on'
  })
}

/** An agent may print anything, and a runner passes on anything, so invisible characters are escaped. */
function sanitized(line: string): StoredLine {
  const text = visible(line)
  const colours = coloursOf(line, text)
  if (text.length <= maxLineLength) return { text, colours }
  const missing = (text.length - maxLineLength).toLocaleString('en')
  return {
    text: `${text.slice(0, maxLineLength).toWellFormed()} … (${missing} more characters)`,
    colours: null,
  }
}

/** What of the lines still fits; where something does not, a last line says so. */
function fitting(
  lines: readonly StoredLine[],
  end: LogEnd,
  most: LogLimits,
): { kept: StoredLine[]; isFull: boolean } {
  const kept: StoredLine[] = []
  let { bytes } = end
  for (const line of lines) {
    bytes += bytesOf(line)
    if (bytes > most.bytes || end.lines + kept.length >= most.lines - 1)
      return { kept: [...kept, { text: dropped(most), colours: null }], isFull: true }
    kept.push(line)
  }
  return { kept, isFull: false }
}

const dropped = ({ lines, bytes }: LogLimits) =>
  `The log has reached its limit of ${lines.toLocaleString('en')} lines or ${Math.round(bytes / 1_000_000)} MB. The rest was dropped.`

const bytesOf = ({ text, colours }: StoredLine) => Buffer.byteLength(text) + (colours?.length ?? 0)
