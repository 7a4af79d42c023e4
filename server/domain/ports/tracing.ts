import type { TraceContext } from '@signalbox/contract/trace-context.ts'

/** Something that took time and is over. Times are milliseconds since 1970. */
export interface EndedSpan {
  /** 16 hex digits. */
  id: string
  /** Null: it is the first of its trace. */
  parent: string | null
  name: string
  kind: 'internal' | 'client'
  from: number
  to: number
  failed: boolean
  /** Names and numbers. Never what people, agents or models have written. */
  attributes: Readonly<Record<string, string | number>>
}

/** Where the operator has traces sent. Nothing waits for it, and nothing fails with it. */
export interface Tracing {
  /** Begins a trace whose first span is recorded when it is over. Whether it is sampled is the operator's choice. */
  begin(): TraceContext
  /** Records what is over. `runner`: it happened at that runner and not here. */
  record(traceId: string, spans: readonly EndedSpan[], runner?: string): void
  /** Does something as a part of a trace: statements, calls and log lines belong to it. */
  within<T>(part: { name: string; of: TraceContext }, work: () => Promise<T>): Promise<T>
}
