import { gunzipSync } from 'node:zlib'
import { Double, type DoubleRequest } from './double.ts'

export interface CollectedSpan {
  service: string
  traceId: string
  spanId: string
  parentId: string | null
  name: string
  kind: number
  from: number
  to: number
  attributes: Record<string, unknown>
  /** 2: it failed. */
  status: number
}

export interface CollectedMetric {
  service: string
  name: string
  kind: 'gauge' | 'sum' | 'histogram'
  points: { attributes: Record<string, unknown>; value?: number; count?: number; buckets?: number[] }[]
}

/** An OpenTelemetry collector as far as a sender sees it: OTLP over HTTP, in protobuf, decoded by its published fields. */
export class Collector extends Double {
  readonly spans: CollectedSpan[] = []
  readonly metrics: CollectedMetric[] = []

  constructor() {
    super()
    const takes = (take: (body: Buffer) => void) => (request: DoubleRequest) => {
      const { 'content-type': type, 'content-encoding': encoding } = request.headers
      if (type !== 'application/x-protobuf') return { status: 415, text: 'protobuf is wanted' }
      take(encoding === 'gzip' ? gunzipSync(request.raw) : request.raw)
      return { headers: { 'content-type': 'application/x-protobuf' }, bytes: Buffer.alloc(0) }
    }
    this.on(
      'POST',
      /^\/v1\/traces$/,
      takes((body) => this.spans.push(...spansIn(body))),
    )
    this.on(
      'POST',
      /^\/v1\/metrics$/,
      takes((body) => this.metrics.push(...metricsIn(body))),
    )
  }
}

/** The fields of one message, by number, each as often as it was sent. */
type Fields = Map<number, (Buffer | bigint)[]>

/** The wire format: numbers, eight bytes, or something with a length; what that is, only its reader knows. */
function fieldsOf(bytes: Buffer): Fields {
  const fields: Fields = new Map()
  let at = 0
  const varint = () => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const taken = (length: number) => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const type = tag & 7
    const value =
      type === 0 ? varint() : type === 1 ? taken(8) : type === 5 ? taken(4) : taken(Number(varint()))
    fields.set(tag >> 3, [...(fields.get(tag >> 3) ?? []), value])
  }
  return fields
}

const messages = (fields: Fields, field: number): Fields[] =>
  (fields.get(field) ?? []).map((value) => fieldsOf(value as Buffer))
const bytes = (fields: Fields, field: number): Buffer => (fields.get(field)?.[0] as Buffer) ?? Buffer.alloc(0)
const text = (fields: Fields, field: number): string => bytes(fields, field).toString('utf8')
const number = (fields: Fields, field: number): number => Number((fields.get(field)?.[0] as bigint) ?? 0n)
const milliseconds = (fields: Fields, field: number): number =>
  Number(bytes(fields, field).readBigUInt64LE() / 1_000n) / 1_000

function attributesIn(fields: Fields, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(fields, field).map((pair) => {
      const [value] = messages(pair, 2)
      if (value?.has(1)) return [text(pair, 1), text(value, 1)]
      if (value?.has(4)) return [text(pair, 1), bytes(value, 4).readDoubleLE()]
      return [text(pair, 1), number(value!, value!.has(3) ? 3 : 2)]
    }),
  )
}

/** What was sent of each resource and scope, with the name of the service. */
const scopedIn = (body: Buffer): { service: string; scope: Fields }[] =>
  messages(fieldsOf(body), 1).flatMap((whole) => {
    const [resource] = messages(whole, 1)
    const service = String(attributesIn(resource!, 1)['service.name'])
    return messages(whole, 2).map((scope) => ({ service, scope }))
  })

const spansIn = (body: Buffer): CollectedSpan[] =>
  scopedIn(body).flatMap(({ service, scope }) =>
    messages(scope, 2).map((span) => ({
      service,
      traceId: bytes(span, 1).toString('hex'),
      spanId: bytes(span, 2).toString('hex'),
      parentId: bytes(span, 4).toString('hex') || null,
      name: text(span, 5),
      kind: number(span, 6),
      from: milliseconds(span, 7),
      to: milliseconds(span, 8),
      attributes: attributesIn(span, 9),
      status: number(messages(span, 15)[0] ?? new Map(), 3),
    })),
  )

const kinds = { gauge: 5, sum: 7, histogram: 9 } as const

function metricsIn(body: Buffer): CollectedMetric[] {
  return scopedIn(body).flatMap(({ service, scope }) =>
    messages(scope, 2).flatMap((metric) => {
      const kind = (['gauge', 'sum', 'histogram'] as const).find((one) => metric.has(kinds[one]))
      if (!kind) return []
      const [data] = messages(metric, kinds[kind])
      return [{ service, name: text(metric, 1), kind, points: messages(data!, 1).map(pointsOf[kind]) }]
    }),
  )
}

const numberPoint = (point: Fields) => ({
  attributes: attributesIn(point, 7),
  value: point.has(4) ? bytes(point, 4).readDoubleLE() : Number(bytes(point, 6).readBigInt64LE()),
})

const pointsOf: Record<CollectedMetric['kind'], (point: Fields) => CollectedMetric['points'][number]> = {
  gauge: numberPoint,
  sum: numberPoint,
  histogram: (point: Fields) => ({
    attributes: attributesIn(point, 9),
    count: Number(bytes(point, 4).readBigUInt64LE()),
    buckets: eights(bytes(point, 6)).map((eight) => Number(eight.readBigUInt64LE())),
  }),
}

const eights = (packed: Buffer): Buffer[] =>
  Array.from({ length: packed.length / 8 }, (_, index) => packed.subarray(index * 8, index * 8 + 8))
