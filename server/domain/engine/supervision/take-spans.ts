import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { RunnerSpan } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import type { EndedSpan, Tracing } from '../../ports/tracing.ts'
import { sampledTrace } from '../machine/trace.ts'
import type { findOrder } from '../orders/find-order.ts'
import { selectTraceOfRun } from './trace-store.ts'

type Order = Awaited<ReturnType<typeof findOrder>>

/** As the semantic conventions for generative AI name them. */
const providers: Partial<Record<string, string>> = dictionary({ google: 'gcp.gemini' })

/**
 * Passes on what a runner says took time. Into which trace is not its choice, and what it may say of each is what the
 * contract lists: numbers and names.
 */
export async function takeSpans(
  ctx: Context,
  order: Order,
  spans: readonly RunnerSpan[],
  tracing: Pick<Tracing, 'record'> | null,
): Promise<void> {
  if (!tracing) return
  const trace = sampledTrace((await selectTraceOfRun(ctx.db, ctx.workspaceId, order.runId)) ?? null)
  if (!trace) return
  const about = {
    'signalbox.run': order.run,
    'signalbox.stage': order.stage,
    'signalbox.attempt': order.attempt,
  }
  const known = spans.map((span): EndedSpan => {
    const { id, parent, from, to, failed } = span
    return { id, parent, from, to, failed, ...described(span, order), attributes: attributesOf(span, about) }
  })
  tracing.record(trace.traceId, known, order.signer.runner)
}

function described(span: RunnerSpan, order: Order): Pick<EndedSpan, 'name' | 'kind'> {
  if (span.type === 'gate') return { name: `gate ${span.gate}`, kind: 'internal' }
  if (span.type === 'model_call') return { name: `chat ${span.model}`, kind: 'client' }
  return { name: `work ${order.job === 'stage' ? order.stage : order.job}`, kind: 'internal' }
}

function attributesOf(span: RunnerSpan, about: EndedSpan['attributes']): EndedSpan['attributes'] {
  if (span.type === 'gate') return { ...about, 'signalbox.gate': span.gate }
  if (span.type === 'order') return about
  const { provider, model, answeredBy, tokens, status } = span
  return {
    ...about,
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providers[provider] ?? provider,
    'gen_ai.request.model': model,
    ...(answeredBy ? { 'gen_ai.response.model': answeredBy } : {}),
    ...(tokens
      ? {
          'gen_ai.usage.input_tokens': tokens.input,
          'gen_ai.usage.output_tokens': tokens.output,
          'gen_ai.usage.cache_read.input_tokens': tokens.cacheRead,
          'gen_ai.usage.cache_creation.input_tokens': tokens.cacheWrite,
        }
      : {}),
    ...(status === null ? {} : { 'http.response.status_code': status }),
    ...(span.failed ? { 'error.type': status === null ? 'unanswered' : `${status}` } : {}),
  }
}
