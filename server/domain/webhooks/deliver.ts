import type { Context } from '../context.ts'
import { type Calling, callEndpoint, isReceived } from './call.ts'
import { nextAttemptAt } from './schedule.ts'
import type { DueMessage, Outcome } from './store.ts'

/** Without a word from the endpoint how long, it is left alone for so long after it said that it was too much. */
const throttledMs = 5_000

/** Sends one message that is due, and says what became of it. Whoever dies before that is written sends it again. */
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
  const nextAt = isGone ? null : nextAttemptAt({ step, at, retryAfterMs })
  return {
    ...about,
    state: nextAt ? 'pending' : 'failed',
    nextAt,
    step: step + 1,
    notBefore: isThrottling(attempted) ? new Date(at.getTime() + (retryAfterMs ?? throttledMs)) : null,
  }
}

/** What Standard Webhooks takes as "slow down": the endpoint as a whole is given a rest, not this message alone. */
const isThrottling = ({ status }: { status: number | null }): boolean =>
  status !== null && [429, 502, 503, 504].includes(status)
