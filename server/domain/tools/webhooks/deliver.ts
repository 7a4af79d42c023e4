import type { Context } from '../../context.ts'
import { type Calling, callEndpoint, isReceived } from './call.ts'
import type { DueMessage } from './queues.ts'
import { longestAskedMs, nextAttemptAt } from './schedule.ts'
import type { Outcome } from './store.ts'

/** Without a word from the endpoint how long, it is left alone for so long after it said that it was too much. */
const throttledMs = 5_000
/** How long to rest after no response: an endpoint that is down must not be called a hundred times a second. */
const silentMs = 1_000

/** Sends one message that is due, and returns its outcome. If the node dies before recording it, it is sent again. */
export async function deliver(
  services: Pick<Context, 'clock'>,
  calling: Calling,
  message: DueMessage,
  signal: AbortSignal,
): Promise<Outcome> {
  const { endpoint, eventId, dueAt, step } = message
  const { retryAfterMs, ...attempted } = await callEndpoint(services, calling, endpoint, message, signal)
  const about = { workspaceId: endpoint.workspaceId, endpointId: endpoint.id, eventId, dueAt, ...attempted }
  if (isReceived(attempted)) return { ...about, state: 'delivered', nextAt: null, step, notBefore: null }
  const at = services.clock.now()
  const isGone = attempted.status === 410
  const restMs = restOf(attempted, retryAfterMs)
  const nextAt = isGone ? null : nextAttemptAt({ step, at, retryAfterMs })
  return {
    ...about,
    state: nextAt ? 'pending' : 'failed',
    nextAt,
    step: step + 1,
    notBefore: restMs === null ? null : new Date(at.getTime() + restMs),
  }
}

/**
 * How long the endpoint as a whole is given a rest, not this message alone: Standard Webhooks takes some statuses as "slow
 * down". Null: not at all.
 */
function restOf({ status }: { status: number | null }, retryAfterMs: number | null): number | null {
  if (status === null) return silentMs
  return [429, 502, 503, 504].includes(status) ? Math.min(retryAfterMs ?? throttledMs, longestAskedMs) : null
}
