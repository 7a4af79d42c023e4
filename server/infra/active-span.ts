import type { AsyncLocalStorage } from 'node:async_hooks'

/**
 * What is being done and traced, for code that knows nothing of who exports it. Nothing of OpenTelemetry is loaded for
 * this, and while tracing is off there is nothing to look into.
 */
export interface ActiveSpan {
  readonly traceId: string
  readonly spanId: string
  /** Makes a span of something that is under way; it ends with the promise. */
  follow<T>(part: StatementPart | CallPart, work: Promise<T>): Promise<T>
}

/** Without its parameters. */
interface StatementPart {
  type: 'statement'
  text: string
}

interface CallPart {
  type: 'call'
  method: string
  host: string
}

let storage: AsyncLocalStorage<ActiveSpan> | null = null

/** From here on it is known what is being done. */
export function keepActiveSpans(kept: AsyncLocalStorage<ActiveSpan>): AsyncLocalStorage<ActiveSpan> {
  storage ??= kept
  return storage
}

export const activeSpan = (): ActiveSpan | undefined => storage?.getStore()

/** What a log line says, so that it is found from the trace and the trace from it. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const span = activeSpan()
  return span ? { trace_id: span.traceId, span_id: span.spanId } : {}
}
