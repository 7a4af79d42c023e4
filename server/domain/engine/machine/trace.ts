import { createHash } from 'node:crypto'
import { formatTraceparent, parseTraceparent, type TraceContext } from '@signalbox/contract/trace-context.ts'
import type { Context } from '../../context.ts'

/** What is kept with a run that is about to begin; null: nothing is traced. */
export function newTrace({ tracing }: Pick<Context, 'tracing'>): string | null {
  const begun = tracing?.begin()
  return begun ? formatTraceparent(begun) : null
}

/** Spans of a run whose ids follow from the trace: a caller that knows the trace can name one before it is over. */
export const spanIdIn = (traceId: string, name: string): string =>
  createHash('sha256').update(`${traceId}/${name}`).digest('hex').slice(0, 16)

export const orderSpan = (traceId: string, fence: number): string => spanIdIn(traceId, `order/${fence}`)

/** What travels in a work order: what its runner does belongs under the span of the order. */
export function traceOfOrder(traceparent: string | null, fence: number): { traceparent?: string } {
  const trace = parseTraceparent(traceparent)
  if (!trace) return {}
  return { traceparent: formatTraceparent({ ...trace, spanId: orderSpan(trace.traceId, fence) }) }
}

/** Null: the run is not traced, or its trace is not among those that are sent. */
export function sampledTrace(traceparent: string | null): TraceContext | null {
  const trace = parseTraceparent(traceparent)
  return trace?.isSampled ? trace : null
}
