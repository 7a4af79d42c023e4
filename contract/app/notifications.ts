import { Type } from 'typebox'
import { notificationKinds } from '../notifications.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'

const closed = { additionalProperties: false }

/** One thing that a person was told. */
export const Notification = Type.Object({
  id: uuid,
  kind: oneOf(notificationKinds),
  thing: Type.String({
    description:
      'key of the decision, the incident or the run; id of the token; morning of the report; team of the suggestion; page of the source',
  }),
  title: Type.String(),
  body: Type.String(),
  createdAt: timestamp,
  unread: Type.Boolean({ description: 'a decision or suggestion that waits no longer counts as read' }),
})
export type Notification = Of<typeof Notification>

export const Unread = Type.Object({
  count: Type.Integer(),
  newest: Type.Array(Notification, { description: 'the newest ten, newest first' }),
})
export type Unread = Of<typeof Unread>

/** The most that a page says at once it has shown. */
export const mostShown = 100

export const reads = {
  /** One's own, newest first. */
  'notifications.list': operation(
    Type.Object({ limit: Type.Optional(limit), cursor: Type.Optional(cursor) }),
    pageOf(Notification),
  ),
  'notifications.unread': operation(Type.Object({}), Unread),
} satisfies Operations

export const writes = {
  /** A page has shown these: from now on they count as told. */
  'notifications.shown': operation(
    Type.Object({ ids: Type.Array(uuid, { minItems: 1, maxItems: mostShown }) }, closed),
    Type.Null(),
  ),
  'notifications.read': operation(Type.Object({ id: uuid }, closed), Type.Null()),
  'notifications.readAll': operation(Type.Object({}, closed), Type.Null()),
} satisfies Operations
