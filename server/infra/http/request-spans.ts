import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { OpenTelemetry } from '../telemetry/open-telemetry.ts'
import type { RequestSpan } from '../telemetry/request-span.ts'
import { takeFirst } from './server.ts'

/** Probes, files of the app, runners that wait for work or print: a trace of each would hide the others. */
const noise =
  /^\/(?:$|\?|healthz|readyz|assets\/|docs|favicon|runner\/v1\/(?:(?:acquire|beat)\b|orders\/[^/]+\/\d+\/(?:log|spans)\b))/

/** And what stays open for as long as a page does. */
const isStream = ({ method, headers }: IncomingMessage) =>
  method === 'GET' && headers.accept?.includes('text/event-stream') === true

let spans: WeakMap<IncomingMessage, RequestSpan> | null = null

/** Makes a span of every request that is worth one. To be called once every face is there. */
export function traceRequests(app: FastifyInstance, telemetry: Pick<OpenTelemetry, 'request'>): void {
  const kept = spans ?? new WeakMap<IncomingMessage, RequestSpan>()
  spans = kept
  takeFirst(app, (request, response, answer) => {
    if (noise.test(request.url ?? '/') || isStream(request)) return answer(request, response)
    telemetry.request(request, response, (span) => {
      kept.set(request, span)
      answer(request, response)
    })
  })
}

/** Names the span of a request that was answered, and says what its log line has to. */
export function spanOf(
  request: IncomingMessage,
  operation: string,
): { trace_id?: string; span_id?: string } | undefined {
  const span = spans?.get(request)
  if (!span) return undefined
  span.name(operation)
  return { trace_id: span.traceId, span_id: span.spanId }
}
