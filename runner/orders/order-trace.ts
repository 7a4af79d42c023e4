import { randomBytes } from 'node:crypto'
import { mostSpans, type RunnerSpan } from '@signalbox/contract/runner/messages.ts'
import { formatTraceparent, parseTraceparent } from '@signalbox/contract/trace-context.ts'

type Placed = 'id' | 'parent' | 'from' | 'to'
/** What took time, without when and where in the trace. */
export type Took = RunnerSpan extends infer One ? (One extends RunnerSpan ? Omit<One, Placed> : never) : never

/** Which trace a line that is said belongs to. */
export interface TraceFields {
  trace_id: string
  span_id: string
}

const newSpanId = () => randomBytes(8).toString('hex')

/**
 * Where the time of an order goes, for the trace that its run belongs to. The server exports it: a runner needs no way
 * to a collector, and no secret of one. What cannot be sent is forgotten.
 */
export class OrderTrace {
  /** Null: the run is not traced. */
  readonly fields: TraceFields | null
  /** For calls to the server that belong to this order. */
  readonly traceparent: string | null
  readonly #parent: string
  readonly #isSampled: boolean
  readonly #send: (spans: RunnerSpan[]) => Promise<void>
  #ended: RunnerSpan[] = []
  #sending: Promise<void> = Promise.resolve()

  constructor(traceparent: string | undefined, send: (spans: RunnerSpan[]) => Promise<void>) {
    const trace = parseTraceparent(traceparent)
    this.fields = trace && { trace_id: trace.traceId, span_id: newSpanId() }
    this.traceparent = trace && formatTraceparent({ ...trace, spanId: this.fields!.span_id })
    this.#parent = trace?.spanId ?? ''
    this.#isSampled = trace?.isSampled ?? false
    this.#send = send
  }

  /** Something within the order took from then until now. */
  took(what: Took, from: number): void {
    this.#add({ ...what, id: newSpanId(), parent: this.fields?.span_id ?? '', from, to: Date.now() })
    if (this.#ended.length >= mostSpans / 2) void this.#flush()
  }

  /** So did the order. Returns when everything was sent, or could not be. */
  end(from: number, failed: boolean): Promise<void> {
    const { span_id: id = '' } = this.fields ?? {}
    this.#add({ type: 'order', id, parent: this.#parent, from, to: Date.now(), failed })
    return this.#flush()
  }

  #add(span: RunnerSpan): void {
    if (this.#isSampled && this.#ended.length < mostSpans) this.#ended.push(span)
  }

  #flush(): Promise<void> {
    const spans = this.#ended.splice(0)
    if (spans.length > 0) this.#sending = this.#sending.then(() => this.#send(spans)).catch(() => {})
    return this.#sending
  }
}
