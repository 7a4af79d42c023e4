import type { Presence } from '@signalbox/contract/presence.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { TraceContext } from '@signalbox/contract/trace-context.ts'
import type { Clock } from '../infra/clock.ts'
import type { Db } from '../infra/db/db.ts'
import type { Queue } from '../infra/jobs/queue.ts'

/** Who acts. The product itself is an actor too: `service`. */
export type Actor =
  | { type: 'human'; name: string; userId: string; role: Role }
  | { type: 'service'; name: string }
  | { type: 'system'; name: string }

export const theService: Actor = { type: 'service', name: 'Signalbox' }

/** Through which face a change came in. */
export type Channel =
  | 'app'
  | 'slack'
  | 'mcp'
  | 'api'
  | 'manage'
  | 'intake'
  | 'runner'
  | 'scim'
  | 'operator'
  | 'schedule'

/** Who asks, for which workspace, through which channel, when. The first argument of every verb. */
export interface Context {
  db: Db
  clock: Clock
  /** Wakes the engine, as part of the transaction that gives it something to do. */
  queue: Queue
  workspaceId: string
  actor: Actor
  channel: Channel
  origin?: Origin
  /** Begins a trace; left out where nothing is traced. */
  tracing?: { begin(): TraceContext }
}

/** What ties an audit entry to a log line, how the actor was present, and from where. */
export interface Origin {
  requestId?: string
  tokenPrefix?: string
  presence?: Presence
  /** Of the client, as the server sees it behind proxies that it trusts. */
  address?: string
}

/** The same, where the product itself acts: what a runner asks for is no wish of the person whose token it has. */
export const byService = (ctx: Context): Context => ({ ...ctx, actor: theService })

/** The context in which the product itself acts, on a schedule and not on request. */
export const asService = (
  { db, clock, queue, tracing }: Pick<Context, 'db' | 'clock' | 'queue' | 'tracing'>,
  workspaceId: string,
): Context => ({
  ...{ db, clock, queue, workspaceId, actor: theService, channel: 'schedule' },
  ...(tracing ? { tracing } : {}),
})
