import { Type } from 'typebox'
import { maxNameLength, maxWebhookUrlLength } from '../limits.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation, proven } from './operation.ts'
import { rowId } from './services.ts'

export const endpointStates = ['active', 'paused', 'off'] as const

/** Where events are sent. */
export const WebhookRow = Type.Object({
  id: uuid,
  url: Type.String(),
  description: Type.String(),
  events: Type.Array(Type.String()),
  teams: nullable(Type.Array(uuid, { description: 'null: all of them' })),
  state: oneOf(endpointStates),
  offBecause: nullable(oneOf(['gone', 'failing'])),
  failingSince: nullable(timestamp),
  formerSecretUntil: nullable(timestamp),
  waiting: Type.Integer({ description: 'messages that are still to be sent; more than 1,000 are 1,001' }),
  lastAttempt: nullable(Type.Object({ at: timestamp, status: nullable(Type.Integer()) })),
  createdAt: timestamp,
})
export type WebhookRow = Of<typeof WebhookRow>

export const messageStates = ['pending', 'delivered', 'failed'] as const

export const MessageRow = Type.Object({
  id: uuid,
  messageId: Type.String({ description: 'webhook-id' }),
  type: Type.String(),
  key: Type.String({ description: 'of the object it is about' }),
  occurredAt: timestamp,
  state: oneOf(messageStates),
  attempts: Type.Integer(),
  nextAttemptAt: nullable(timestamp),
  lastStatus: nullable(Type.Integer()),
})
export type MessageRow = Of<typeof MessageRow>

export const AttemptRow = Type.Object({
  attempt: Type.Integer(),
  at: timestamp,
  url: Type.String(),
  signature: Type.String(),
  status: nullable(Type.Integer()),
  answer: nullable(Type.String({ description: 'its first 4 KB' })),
  problem: nullable(Type.String({ description: 'why there was no answer' })),
  durationMs: Type.Integer(),
})
export type AttemptRow = Of<typeof AttemptRow>

export const MessagePage = Type.Object({
  ...MessageRow.properties,
  body: Type.String({ description: 'as it is sent' }),
  /** Newest first. */
  attemptList: Type.Array(AttemptRow),
})
export type MessagePage = Of<typeof MessagePage>

const closed = { additionalProperties: false }
const theEndpoint = Type.Object({ webhook: rowId })
const oneEndpoint = Type.Object({ webhook: uuid }, closed)
const url = Type.String({ minLength: 1, maxLength: maxWebhookUrlLength })
const description = Type.String({ maxLength: maxNameLength })
const events = Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 })
const teams = nullable(Type.Array(uuid, { maxItems: 200 }))

/** For owners and admins only: it holds what receivers answered. */
export const reads = {
  'webhooks.list': operation(Type.Object({}), Type.Object({ data: Type.Array(WebhookRow) })),
  'webhooks.read': operation(theEndpoint, WebhookRow),
  'webhooks.messages': operation(
    Type.Object({
      webhook: rowId,
      state: Type.Optional(oneOf(messageStates)),
      limit: Type.Optional(limit),
      cursor: Type.Optional(cursor),
    }),
    pageOf(MessageRow),
  ),
  'webhooks.message': operation(Type.Object({ webhook: rowId, message: rowId }), MessagePage),
} satisfies Operations

export const writes = {
  /** The secret is shown here and never again. */
  'webhooks.add': operation(
    Type.Object({ url, description, events, teams }, closed),
    Type.Object({ id: uuid, secret: Type.String() }),
  ),
  'webhooks.change': operation(
    Type.Object(
      {
        webhook: uuid,
        url: Type.Optional(url),
        description: Type.Optional(description),
        events: Type.Optional(events),
        teams: Type.Optional(teams),
      },
      closed,
    ),
    Type.Null(),
  ),
  /** Shown here and never again. Until then messages are signed with both. */
  'webhooks.rotate': operation(
    oneEndpoint,
    Type.Object({ secret: Type.String(), formerSecretUntil: timestamp }),
  ),
  'webhooks.endFormerSecret': operation(oneEndpoint, Type.Null()),
  'webhooks.pause': operation(oneEndpoint, Type.Null()),
  'webhooks.resume': operation(oneEndpoint, Type.Null()),
  'webhooks.remove': proven(operation(oneEndpoint, Type.Null())),
  /** Sent once, now; this is what came back. */
  'webhooks.test': operation(
    oneEndpoint,
    Type.Object({
      message: uuid,
      ...Type.Omit(AttemptRow, ['attempt', 'url', 'signature', 'at']).properties,
    }),
  ),
  'webhooks.resend': operation(Type.Object({ webhook: uuid, message: uuid }, closed), Type.Null()),
  /** Everything that has not been delivered since then, and was tried. */
  'webhooks.replay': operation(
    Type.Object({ webhook: uuid, since: timestamp }, closed),
    Type.Object({ count: Type.Integer() }),
  ),
} satisfies Operations
