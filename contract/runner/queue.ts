import { Type } from 'typebox'
import { type Of, oneOf } from '../shapes.ts'
import { executor } from '../team.ts'

/**
 * What waits for runners, for programs that start them: `GET /runner/v1/queue`. One flat number per question, so that
 * an autoscaler can name the one it wants.
 */

/** The runners that the numbers are for: without labels they have none, without agents any. */
export const QueueQuery = Type.Object({
  labels: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'the labels of the runners, comma-separated' }),
  ),
  agents: Type.Optional(
    Type.String({ maxLength: 1_000, description: 'the coding agents of the runners, comma-separated' }),
  ),
})
export type QueueQuery = Of<typeof QueueQuery>

/** `offered` and `runner` wait for a runner alone. The others would not begin if there were one. */
export const queueReasons = ['offered', 'runner', 'slots', 'money', 'budget', 'pause'] as const

const count = Type.Integer({ minimum: 0 })

export const Queue = Type.Object({
  /** What such a runner could take now: orders that lie there, and work that begins as soon as a runner is there. */
  waiting: count,
  /** Orders that ephemeral runners have. */
  working: count,
  /** Both: how many ephemeral runners there should be. */
  wanted: count,
  /** All that waits, whatever the numbers are for, and also what does not wait for a runner. */
  orders: Type.Array(
    Type.Object({
      labels: Type.Array(Type.String()),
      agent: executor,
      why: oneOf(queueReasons),
      count,
    }),
  ),
})
export type Queue = Of<typeof Queue>
