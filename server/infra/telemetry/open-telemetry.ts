import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import { parseTraceparent, type TraceContext } from '@signalbox/contract/trace-context.ts'
import type { Registry } from 'prom-client'
import { type ActiveSpan, keepActiveSpans } from '../active-span.ts'
import type { Logger } from '../log.ts'
import { Outages } from './outages.ts'
import { registryProducer } from './registry-producer.ts'
import type { RequestSpan } from './request-span.ts'
import type { TelemetrySettings } from './settings.ts'

interface EndedSpan {
  id: string
  parent: string | null
  name: string
  kind: 'internal' | 'client'
  from: number
  to: number
  failed: boolean
  attributes: Readonly<Record<string, string | number>>
}

/** How long a stop waits for what is still to be sent. */
const stopMs = 3_000
const mostRunners = 1_000
const longestStatement = 2_000

/**
 * The official SDK, as far as it is needed: it makes ids, samples, batches and sends. It is told what to trace by this
 * server alone. Nothing is registered for the whole process, so several servers in one do not meet, and no library
 * begins to trace.
 */
export class OpenTelemetry {
  readonly #ids = new ChosenIds()
  readonly #tracer: Tracer
  readonly #ofRunners = new Map<string, Tracer>()
  readonly #active = keepActiveSpans(new AsyncLocalStorage<ActiveSpan>())
  readonly #settings: TelemetrySettings
  readonly #outages: Outages
  readonly #version: string
  readonly #sampler: Sampler
  readonly #processor: SpanProcessor | null
  #meters: MeterProvider | null = null
  readonly #resource: Resource

  constructor(
    settings: TelemetrySettings,
    { version, instance, log }: { version: string; instance: string; log: Logger },
  ) {
    this.#settings = settings
    this.#version = version
    this.#outages = new Outages(log, new URL(settings.endpoint).host)
    this.#sampler = settings.traces ? samplerOf(settings) : new AlwaysOffSampler()
    this.#resource = resourceFromAttributes({
      'service.version': version,
      'service.instance.id': instance,
      ...settings.resourceAttributes,
      'service.name': settings.serviceName,
    })
    this.#processor = settings.traces
      ? new BatchSpanProcessor({
          exporter: this.#outages.watched(new OTLPTraceExporter(this.#sendingTo('traces'))),
          scheduledDelayMillis: settings.spanDelayMs,
        })
      : null
    this.#tracer = this.#tracerOf(this.#resource)
  }

  /** Sends what the page of metrics has, at intervals. */
  exportMetrics(registry: Registry): void {
    const { metrics, metricIntervalMs, timeoutMs } = this.#settings
    if (!metrics) return
    const reader = new PeriodicExportingMetricReader({
      exporter: this.#outages.watched(new OTLPMetricExporter(this.#sendingTo('metrics'))),
      exportIntervalMillis: metricIntervalMs,
      exportTimeoutMillis: Math.min(metricIntervalMs, timeoutMs),
      metricProducers: [registryProducer(registry, { name: 'signalbox', version: this.#version })],
    })
    this.#meters = new MeterProvider({ resource: this.#resource, readers: [reader] })
  }

  begin(): TraceContext {
    return contextOf(this.#tracer.startSpan('run', { root: true }))
  }

  record(traceId: string, spans: readonly EndedSpan[], runner?: string): void {
    const tracer = runner === undefined ? this.#tracer : this.#tracerOfRunner(runner)
    for (const { id, parent, name, kind, from, to, failed, attributes } of spans) {
      this.#ids.choose(traceId, id)
      const options = { kind: kinds[kind], startTime: from, attributes, root: parent === null }
      const span = tracer.startSpan(
        name,
        options,
        parent === null ? ROOT_CONTEXT : under({ traceId, spanId: parent, isSampled: true }),
      )
      this.#ids.choose(null, null)
      if (failed) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end(Math.max(from, to))
    }
  }

  async within<T>({ name, of }: { name: string; of: TraceContext }, work: () => Promise<T>): Promise<T> {
    const span = this.#tracer.startSpan(name, {}, under(of))
    return this.#active.run(this.#activeFor(span), () => ended(span, work()))
  }

  /** Makes a span of a request, under the caller's where it says which that is. It is named when it was answered. */
  request(request: IncomingMessage, response: ServerResponse, answer: (span: RequestSpan) => void): void {
    const caller = parseTraceparent(request.headers.traceparent)
    const attributes = { 'http.request.method': request.method ?? '' }
    const span = this.#tracer.startSpan(
      'request',
      { kind: SpanKind.SERVER, attributes },
      caller ? under(caller) : ROOT_CONTEXT,
    )
    response.once('close', () => {
      const { statusCode } = response
      span.setAttribute('http.response.status_code', statusCode)
      if (statusCode >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    })
    const active = this.#activeFor(span)
    const told: RequestSpan = {
      ...{ traceId: active.traceId, spanId: active.spanId },
      name: (operation) => span.updateName(operation).setAttribute('signalbox.operation', operation),
    }
    this.#active.run(active, () => answer(told))
  }

  /** Sends what there is, and waits for it no longer than a stop may take. */
  async stop(): Promise<void> {
    this.#outages.close()
    const late = Promise.withResolvers<void>()
    const timer = setTimeout(late.resolve, stopMs)
    const sent = Promise.allSettled([this.#processor?.shutdown(), this.#meters?.shutdown()])
    await Promise.race([sent, late.promise]).finally(() => clearTimeout(timer))
  }

  #sendingTo(signal: 'traces' | 'metrics') {
    const { endpoint, headers, timeoutMs } = this.#settings
    return { url: `${endpoint}/v1/${signal}`, headers: { ...headers }, timeoutMillis: timeoutMs }
  }

  #tracerOf(resource: Resource): Tracer {
    const provider = new TracerProvider({
      resource,
      sampler: this.#sampler,
      idGenerator: this.#ids,
      spanProcessors: this.#processor ? [this.#processor] : [],
      spanLimits: { attributeValueLengthLimit: longestStatement },
    })
    return provider.getTracer('signalbox', this.#version)
  }

  /** A runner is a service of its own, whose spans this server sends on. */
  #tracerOfRunner(runner: string): Tracer {
    let tracer = this.#ofRunners.get(runner)
    if (!tracer) {
      if (this.#ofRunners.size >= mostRunners) this.#ofRunners.clear()
      const { serviceName, resourceAttributes } = this.#settings
      tracer = this.#tracerOf(
        resourceFromAttributes({
          ...resourceAttributes,
          'service.name': `${serviceName}-runner`,
          'service.instance.id': runner,
        }),
      )
      this.#ofRunners.set(runner, tracer)
    }
    return tracer
  }

  #activeFor(span: Span): ActiveSpan {
    const { traceId, spanId } = span.spanContext()
    const parent = trace.setSpan(ROOT_CONTEXT, span)
    const isRecording = span.isRecording()
    return {
      traceId,
      spanId,
      follow: (part, work) => {
        if (!isRecording) return work
        const { name, attributes } = part.type === 'call' ? ofCall(part) : ofStatement(part)
        return ended(this.#tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes }, parent), work)
      },
    }
  }
}

/** Random ids, except for a span whose id was known before it was over. */
class ChosenIds extends RandomIdGenerator {
  #traceId: string | null = null
  #spanId: string | null = null

  choose(traceId: string | null, spanId: string | null): void {
    this.#traceId = traceId
    this.#spanId = spanId
  }

  override generateTraceId(): string {
    return this.#traceId ?? super.generateTraceId()
  }

  override generateSpanId(): string {
    return this.#spanId ?? super.generateSpanId()
  }
}

const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT }

function samplerOf({ sampler, samplerRatio }: TelemetrySettings): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(samplerRatio)
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

function contextOf(span: Span): TraceContext {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 }
}

const under = ({ traceId, spanId, isSampled }: TraceContext): Context =>
  trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, isRemote: true },
    traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  })

/** Which error it was is in the log; its message may quote what a person has written. */
async function ended<T>(span: Span, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR })
    const { code, name } = error as Error & { code?: unknown }
    span.setAttribute('error.type', typeof code === 'string' ? code : `${name}`)
    throw error
  } finally {
    span.end()
  }
}

function ofStatement({ text }: { text: string }): { name: string; attributes: Attributes } {
  const [operation = ''] = /^\w+/.exec(text.trimStart()) ?? []
  const table = /\b(?:from|into|update)\s+(\w+)/.exec(text)?.[1]
  const attributes = {
    'db.system.name': 'postgresql',
    'db.query.text': text.replaceAll(/\s+/g, ' ').trim(),
    'db.operation.name': operation.toUpperCase(),
  }
  return { name: `${operation.toUpperCase()}${table ? ` ${table}` : ''}`, attributes }
}

const ofCall = ({ method, host }: { method: string; host: string }) => ({
  name: method,
  attributes: { 'http.request.method': method, 'server.address': host },
})
