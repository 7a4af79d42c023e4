import { Type } from 'typebox'
import { codeKinds, connectionKinds, trackerKinds } from '../connection-kinds.ts'
import { insides } from '../image.ts'
import { maxNameLength, secretLength } from '../limits.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { nullable, type Of, oneOf, recordOf, timestamp, uuid } from '../shapes.ts'
import { type Operations, operation, proven } from './operation.ts'
import { rowId } from './services.ts'
import { ToolRefusal } from './tool-refusals.ts'

export const signInMethods = ['token', 'app', 'basic', 'bot'] as const

/** An account at an outside tool, with how it fares. Never with a credential. */
export const ConnectionRow = Type.Object({
  id: uuid,
  kind: oneOf(connectionKinds),
  name: Type.String(),
  baseUrl: Type.String(),
  method: oneOf(signInMethods),
  account: nullable(Type.String({ description: 'as whom we act there' })),
  lastSuccessAt: nullable(timestamp),
  lastRefusalAt: nullable(timestamp),
  lastRefusal: nullable(Type.String()),
  refusals: Type.Array(ToolRefusal),
  missing: Type.Array(Type.String(), { description: 'permissions that the last test missed' }),
  limit: nullable(
    Type.Object({
      left: Type.Integer(),
      of: nullable(Type.Integer()),
      resetsAt: nullable(timestamp),
    }),
  ),
  /** Where the tool sends its webhooks; null for members. */
  hookUrl: nullable(Type.String()),
  formerSecretUntil: nullable(timestamp),
  lastDeliveryAt: nullable(timestamp),
  /** The health of the webhooks at the tool; null: not checked yet, or there are none. */
  hooks: nullable(
    Type.Object({
      state: oneOf(['working', 'failing', 'off', 'none', 'unknown']),
      note: Type.String(),
      lookedAt: timestamp,
    }),
  ),
  /** What we wrote of late, where the tool limits it: GitHub. */
  writes: nullable(
    Type.Object({
      lastMinute: Type.Integer(),
      perMinute: Type.Integer(),
      lastHour: Type.Integer(),
      perHour: Type.Integer(),
    }),
  ),
  /** Teams that use it, by slug. */
  teams: Type.Array(Type.String()),
  createdAt: timestamp,
  updatedAt: timestamp,
})
export type ConnectionRow = Of<typeof ConnectionRow>

/** A GitHub App that was created from here and is not installed yet. */
export const PendingApp = Type.Object({
  id: uuid,
  name: Type.String(),
  baseUrl: Type.String(),
  slug: Type.String(),
  createdAt: timestamp,
})
export type PendingApp = Of<typeof PendingApp>

/** What a webhook brought with a right proof. */
export const HookDeliveryRow = Type.Object({
  id: uuid,
  senderId: Type.String(),
  event: Type.String(),
  receivedAt: timestamp,
  bytes: Type.Integer(),
  understoodAt: nullable(timestamp),
  /** What it meant, or why it has not been understood yet. */
  understood: nullable(Type.String()),
})
export type HookDeliveryRow = Of<typeof HookDeliveryRow>

/** Where issues live over there. */
export const ProjectChoice = Type.Object({
  id: Type.String(),
  key: Type.String(),
  name: Type.String(),
  url: nullable(Type.String()),
})
export type ProjectChoice = Of<typeof ProjectChoice>

export const RepositoryChoice = Type.Object({
  id: Type.String(),
  name: Type.String(),
  address: Type.String(),
  branch: Type.String(),
  url: nullable(Type.String()),
})
export type RepositoryChoice = Of<typeof RepositoryChoice>

/** What a team uses of its connections. */
export const TeamBindings = Type.Object({
  /** Null: the built-in tracker. */
  tracker: nullable(
    Type.Object({
      connection: uuid,
      connectionName: Type.String(),
      kind: oneOf(trackerKinds),
      project: ProjectChoice,
      label: nullable(Type.String()),
    }),
  ),
  repositories: Type.Array(
    Type.Object({
      name: Type.String(),
      branch: Type.String(),
      url: nullable(Type.String()),
      /** Null: a folder on the server. */
      connection: nullable(uuid),
      connectionName: nullable(Type.String()),
      kind: nullable(oneOf(codeKinds)),
      remoteId: nullable(Type.String()),
      /** What its work runs in. */
      inside: oneOf(insides),
      /** With `image`: which one. */
      image: nullable(Type.String()),
    }),
  ),
})
export type TeamBindings = Of<typeof TeamBindings>

const theConnection = Type.Object({ connection: rowId })
const oneConnection = Type.Object({ connection: uuid }, { additionalProperties: false })
const name = Type.String({ minLength: 1, maxLength: maxNameLength })
const baseUrl = Type.String({ maxLength: 300 })
/** By name, as the kind needs them: token; email and token; appId, installationId and privateKey. */
const credentials = recordOf(Type.String({ minLength: 1, maxLength: 8_000 }), { longest: 40, most: 20 })
const query = Type.Optional(Type.String({ maxLength: 200 }))

/** As whom we act over there, and which permissions are missing, as sentences. */
const tested = Type.Object({ account: Type.String(), missing: Type.Array(Type.String()) })

export const reads = {
  'connections.list': operation(Type.Object({}), Type.Object({ data: Type.Array(ConnectionRow) })),
  'connections.read': operation(theConnection, ConnectionRow),
  'connections.apps': operation(Type.Object({}), Type.Object({ data: Type.Array(PendingApp) })),
  /** Where an app is installed, over there. */
  'connections.installUrl': operation(
    Type.Object({ app: rowId }),
    Type.Object({ name: Type.String(), url: Type.String() }),
  ),
  'connections.deliveries': operation(
    Type.Object({ connection: rowId, limit: Type.Optional(limit), cursor: Type.Optional(cursor) }),
    pageOf(HookDeliveryRow),
  ),
  /** Asked over there at this moment. */
  'connections.projects': operation(
    Type.Object({ connection: rowId, query }),
    Type.Object({ data: Type.Array(ProjectChoice) }),
  ),
  'connections.repositories': operation(
    Type.Object({ connection: rowId, query }),
    Type.Object({ data: Type.Array(RepositoryChoice) }),
  ),
} satisfies Operations

export const writes = {
  /** Tested first: what the tool refuses is not kept. The webhook secret is shown here and never again. */
  'connections.connect': proven(
    operation(
      Type.Object(
        { kind: oneOf(connectionKinds), name, baseUrl: Type.Optional(baseUrl), credentials },
        { additionalProperties: false },
      ),
      Type.Object({
        id: uuid,
        ...tested.properties,
        hookUrl: Type.String(),
        webhookSecret: Type.String(),
      }),
    ),
  ),
  /** The browser then opens `/api/w/<workspace>/github-apps/<id>`, which posts the manifest to GitHub. */
  'connections.startApp': proven(
    operation(
      Type.Object(
        {
          name,
          baseUrl: Type.Optional(baseUrl),
          organization: Type.Optional(Type.String({ maxLength: 100 })),
        },
        { additionalProperties: false },
      ),
      Type.Object({ id: uuid }),
    ),
  ),
  /** What GitHub sent back with the browser. */
  'connections.convertApp': operation(
    Type.Object(
      {
        code: Type.String({ minLength: 1, maxLength: 200, pattern: '^[\\w-]+$' }),
        state: Type.String({ minLength: 1, maxLength: 200 }),
      },
      { additionalProperties: false },
    ),
    Type.Object({ id: uuid }),
  ),
  /** By its id, or by what GitHub sent back once it was installed. */
  'connections.finishApp': operation(
    Type.Object(
      {
        app: Type.Optional(uuid),
        state: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
        installation: Type.Optional(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })),
      },
      { additionalProperties: false },
    ),
    Type.Object({ id: uuid, ...tested.properties }),
  ),
  'connections.dropApp': operation(Type.Object({ app: uuid }, { additionalProperties: false }), Type.Null()),
  'connections.change': operation(
    Type.Object({ connection: uuid, name }, { additionalProperties: false }),
    Type.Null(),
  ),
  /** The new ones are tested before they take the place of the old ones. */
  'connections.replaceCredentials': proven(
    operation(
      Type.Object(
        { connection: uuid, baseUrl: Type.Optional(baseUrl), credentials },
        { additionalProperties: false },
      ),
      tested,
    ),
  ),
  'connections.test': operation(oneConnection, tested),
  /** Shown here and never again, unless it was given. The former one is accepted until then. */
  'connections.replaceSecret': proven(
    operation(
      Type.Object(
        {
          connection: uuid,
          secret: Type.Optional(Type.String({ minLength: secretLength.least, maxLength: secretLength.most })),
        },
        { additionalProperties: false },
      ),
      Type.Object({ webhookSecret: Type.String(), formerSecretUntil: timestamp }),
    ),
  ),
  /** For a project or repository: its id, and its name as `acme/shop`. */
  'connections.makeWebhook': operation(
    Type.Object(
      {
        connection: uuid,
        scope: Type.Object(
          {
            id: Type.String({ minLength: 1, maxLength: 200 }),
            name: Type.String({ minLength: 1, maxLength: 200 }),
          },
          { additionalProperties: false },
        ),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  'connections.disconnect': proven(operation(oneConnection, Type.Null())),
} satisfies Operations
