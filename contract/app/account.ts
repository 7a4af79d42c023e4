import { Type } from 'typebox'
import { maxNameLength } from '../limits.ts'
import { notificationKinds } from '../notifications.ts'
import { nullable, type Of, oneOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation } from './operation.ts'
import { Done } from './sign-in.ts'

const closed = { additionalProperties: false }

/** How a person signs in. */
export const Account = Type.Object({
  name: Type.String(),
  email: Type.String(),
  twoFactor: Type.Boolean({ description: 'an authenticator app is asked for after the password' }),
  passkeys: Type.Array(
    Type.Object({ id: uuid, name: nullable(Type.String()), createdAt: nullable(timestamp) }),
  ),
  hasPassword: Type.Boolean(),
  oidc: nullable(
    Type.Object({ name: Type.String(), linked: Type.Boolean({ description: 'used at least once' }) }),
  ),
})
export type Account = Of<typeof Account>

export const Session = Type.Object({
  id: uuid,
  current: Type.Boolean(),
  ipAddress: nullable(Type.String()),
  userAgent: nullable(Type.String()),
  createdAt: timestamp,
  lastUsedAt: Type.String({ format: 'date-time', description: 'to the hour' }),
  expiresAt: timestamp,
})
export type Session = Of<typeof Session>

const ways = { inApp: Type.Boolean(), byMail: Type.Boolean(), byPush: Type.Boolean() }
const report = {
  hour: Type.Integer({ minimum: 0, maximum: 23 }),
  timeZone: Type.String({ minLength: 1, maxLength: 100, description: 'IANA name, as in Europe/Oslo' }),
  byChat: Type.Boolean(),
}
const endpoint = Type.String({ minLength: 1, maxLength: 2000, description: 'where the browser takes pushes' })

/** What one is told about and how, and the browsers that take pushes. */
export const NotificationSettings = Type.Object({
  kinds: Type.Array(Type.Object({ kind: oneOf(notificationKinds), ...ways })),
  report: Type.Object(report, {
    description: 'when the night shift report is sent, and whether in chat too',
  }),
  mail: Type.Boolean({ description: 'a mail server is connected' }),
  chat: Type.Boolean({ description: 'a chat account of theirs is linked, in one of their workspaces' }),
  pushKey: Type.String({ description: 'what a browser subscribes with' }),
  browsers: Type.Array(
    Type.Object({
      id: uuid,
      endpoint,
      userAgent: nullable(Type.String()),
      createdAt: timestamp,
    }),
  ),
})
export type NotificationSettings = Of<typeof NotificationSettings>

export const reads = {
  'account.read': operation(Type.Object({}), Account),
  'account.sessions': operation(Type.Object({}), Type.Array(Session)),
  'account.notifications': operation(Type.Object({}), NotificationSettings),
} satisfies Operations

export const writes = {
  'account.revokeSession': operation(Type.Object({ id: uuid }, closed), Done),
  'account.revokeOtherSessions': operation(Type.Object({}, closed), Done),
  'account.rename': operation(
    Type.Object({ name: Type.String({ minLength: 1, maxLength: maxNameLength }) }, closed),
    Done,
  ),
  'account.setNotifications': operation(
    Type.Object({ kind: oneOf(notificationKinds), ...ways }, closed),
    Done,
  ),
  'account.setReport': operation(Type.Object(report, closed), Done),
  /** This browser takes pushes from now on, for as long as its session lives. */
  'account.turnOnPush': operation(
    Type.Object(
      { endpoint, p256dh: Type.String({ maxLength: 200 }), auth: Type.String({ maxLength: 100 }) },
      closed,
    ),
    Done,
  ),
  'account.turnOffPush': operation(Type.Object({ id: uuid }, closed), Done),
} satisfies Operations
