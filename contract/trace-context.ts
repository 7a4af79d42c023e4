/** A place in a trace, as W3C Trace Context names it (https://www.w3.org/TR/trace-context/). */
export interface TraceContext {
  /** 32 hex digits. */
  traceId: string
  /** 16 hex digits: the span that what follows belongs under. */
  spanId: string
  isSampled: boolean
}

const form = /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

export const traceparentPattern = form.source
export const spanIdPattern = '^[0-9a-f]{16}$'

/** Null: it is none. Ids of nothing but zeros are none either. */
export function parseTraceparent(text: unknown): TraceContext | null {
  if (typeof text !== 'string' || !form.test(text)) return null
  const [, traceId = '', spanId = '', flags = ''] = text.split('-')
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
