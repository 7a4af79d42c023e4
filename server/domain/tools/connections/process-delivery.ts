import type { ConnectionKind } from '@signalbox/contract/connection-kinds.ts'
import type { Context } from '../../context.ts'
import { parseJson } from '../../parse-json.ts'
import { housekeeping } from '../../record/audit/change.ts'
import {
  postponeDelivery,
  selectDueDeliveriesOfAllWorkspaces,
  settleDelivery,
  takeDelivery,
} from './store.ts'

/** A hook delivery as its consumers get it. It is only a hint: the truth is fetched. */
export interface HookEvent {
  connection: { id: string; kind: ConnectionKind }
  /** `issues`, `Issue Hook`, `jira:issue_updated`. */
  event: string
  body: unknown
}

/**
 * Returns in words what it meant, for the delivery log; null: nothing to this consumer. Temporary failures are thrown,
 * and tried again. A delivery may be processed twice, because it is retried after a crash.
 */
export type HookConsumer = (ctx: Context, event: HookEvent) => Promise<string | null>

/** The consumers of each tool's hook deliveries. */
export type HookConsumers = Partial<Record<ConnectionKind, readonly HookConsumer[]>>

/** Longer than fetching takes. */
const holdSeconds = 60
const longestPauseSeconds = 900
/** Then the next sweep of the tracker has long found out. */
const mostAttempts = 12

/** Processes one delivery, once: the node that takes it holds it. */
export async function processDelivery(ctx: Context, id: string, consumers: HookConsumers): Promise<void> {
  const now = ctx.clock.now()
  const taken = await housekeeping(ctx.db, 'take a delivery', (tx) =>
    takeDelivery(tx, ctx.workspaceId, id, now, later(now, holdSeconds)),
  )
  if (!taken) return
  const { connectionId, kind, event, attempts } = taken
  const settle = (understood: string) =>
    housekeeping(ctx.db, 'note what a delivery meant', (tx) =>
      settleDelivery(tx, ctx.workspaceId, id, understood, ctx.clock.now()),
    )
  const body = bodyIn(taken.body)
  if (body === undefined)
    return settle(
      'It can’t be read: its body isn’t JSON. Set the content type of the webhook to application/json.',
    )
  try {
    const said: string[] = []
    for (const consume of consumers[kind] ?? []) {
      const one = await consume(ctx, { connection: { id: connectionId, kind }, event, body })
      if (one !== null) said.push(one)
    }
    await settle(said.join(' ') || 'Nothing to do.')
  } catch (error) {
    const { message } = error as Error
    if (attempts >= mostAttempts) return settle(`Gave up after ${attempts} attempts: ${message}`)
    const pause = Math.max(
      Math.min(5 * 2 ** (attempts - 1), longestPauseSeconds),
      ((error as { retryAfterMs?: number | null }).retryAfterMs ?? 0) / 1000,
    )
    await housekeeping(ctx.db, 'put a delivery off', (tx) =>
      postponeDelivery(tx, ctx.workspaceId, id, later(ctx.clock.now(), pause), message),
    )
    throw error
  }
}

/** JSON, or a form with JSON in its field `payload`: GitHub sends that where a person chose it for their hook. */
function bodyIn(bytes: Buffer): unknown {
  const text = bytes.toString('utf8')
  try {
    return parseJson(text.startsWith('payload=') ? (new URLSearchParams(text).get('payload') ?? '') : text)
  } catch {
    return undefined
  }
}

/** What waits to be understood, oldest first. */
export const dueDeliveries = ({ db, clock }: Pick<Context, 'db' | 'clock'>, most: number) =>
  selectDueDeliveriesOfAllWorkspaces(db, clock.now(), most)

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)
