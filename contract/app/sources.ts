import { Type } from 'typebox'
import { maxNameLength, secretLength } from '../limits.ts'
import { cursor, limit, pageOf } from '../page.ts'
import { nullable, type Of, oneOf, recordOf, timestamp, uuid } from '../shapes.ts'
import { Alert } from '../signal.ts'
import { Source, sourceKinds } from '../source.ts'
import { AlertRow } from './incidents.ts'
import { type Operations, operation, proven } from './operation.ts'
import { Recipe } from './senders.ts'
import { rowId } from './services.ts'
import { ToolRefusal } from './tool-refusals.ts'

/** A source with its last delivery, what its check found, and what its sender refuses to have updated. */
export const SourceRow = Type.Object({
  ...Source.properties,
  lastDeliveryAt: nullable(timestamp),
  updatesRefused: Type.Array(ToolRefusal),
  check: nullable(
    Type.Object({
      status: oneOf(['up', 'down']),
      changedAt: timestamp,
      failures: Type.Integer({ description: 'in a row' }),
      lastAt: nullable(timestamp),
      lastError: nullable(Type.String()),
    }),
  ),
})
export type SourceRow = Of<typeof SourceRow>

/** What arrived with a right proof. The body is not kept; what was understood of it is. */
export const DeliveryRow = Type.Object({
  id: uuid,
  receivedAt: timestamp,
  alerts: Type.Integer(),
  isTest: Type.Boolean(),
  problem: nullable(Type.String()),
  handshake: nullable(Type.String()),
})
export type DeliveryRow = Of<typeof DeliveryRow>

export const DeliveryPage = Type.Object({
  ...DeliveryRow.properties,
  /** Values that look like secrets are left out. */
  alertList: Type.Array(Alert),
})
export type DeliveryPage = Of<typeof DeliveryPage>

/** Requests that were refused, by hour and reason. */
export const Refusal = Type.Object({
  hour: timestamp,
  reason: Type.String(),
  count: Type.Integer(),
  lastAt: timestamp,
})
export type Refusal = Of<typeof Refusal>

const theSource = Type.Object({ source: rowId })
const oneSource = Type.Object({ source: uuid }, { additionalProperties: false })
const name = Type.String({ minLength: 1, maxLength: maxNameLength })
const services = Type.Array(uuid, { maxItems: 100 })
const settings = recordOf(Type.Unknown(), { most: 100 })
const secret = Type.String({ minLength: secretLength.least, maxLength: secretLength.most })
const credentials = Type.String({ minLength: 1, maxLength: secretLength.most })
const page = { limit: Type.Optional(limit), cursor: Type.Optional(cursor) }

export const reads = {
  'sources.list': operation(
    Type.Object({ service: Type.Optional(rowId) }),
    Type.Object({ data: Type.Array(SourceRow) }),
  ),
  'sources.read': operation(theSource, SourceRow),
  /** Null for uptime checks: nothing is done elsewhere. */
  'sources.recipe': operation(theSource, nullable(Recipe)),
  'sources.deliveries': operation(Type.Object({ source: rowId, ...page }), pageOf(DeliveryRow)),
  'sources.delivery': operation(Type.Object({ source: rowId, delivery: rowId }), DeliveryPage),
  /** The newest fifty. */
  'sources.refusals': operation(theSource, Type.Object({ data: Type.Array(Refusal) })),
  /** What a source has reported, or what belongs to a service, newest first. */
  'sources.alerts': operation(
    Type.Object({ source: Type.Optional(rowId), service: Type.Optional(rowId), ...page }),
    pageOf(AlertRow),
  ),
} satisfies Operations

export const writes = {
  /** The secret is shown here and never again; null for uptime checks. */
  'sources.add': operation(
    Type.Object(
      {
        kind: oneOf(sourceKinds),
        name,
        services,
        settings: Type.Optional(settings),
        secret: Type.Optional(secret),
        credentials: Type.Optional(credentials),
      },
      { additionalProperties: false },
    ),
    Type.Object({ id: uuid, url: nullable(Type.String()), secret: nullable(Type.String()) }),
  ),
  'sources.change': operation(
    Type.Object(
      {
        source: uuid,
        name: Type.Optional(name),
        services: Type.Optional(services),
        settings: Type.Optional(settings),
        credentials: Type.Optional(nullable(credentials)),
      },
      { additionalProperties: false },
    ),
    Type.Null(),
  ),
  /** Shown here and never again. The former one is accepted until then. */
  'sources.rotate': operation(
    Type.Object({ source: uuid, secret: Type.Optional(secret) }, { additionalProperties: false }),
    Type.Object({ secret: Type.String(), formerSecretUntil: timestamp }),
  ),
  /** The former secret is refused from then on. */
  'sources.endFormerSecret': operation(oneSource, Type.Null()),
  'sources.pause': operation(oneSource, Type.Null()),
  'sources.resume': operation(oneSource, Type.Null()),
  'sources.delete': proven(operation(oneSource, Type.Null())),
  /** Takes the way of a real delivery, and opens no incident unless asked to: then one that is marked as a test. */
  'sources.test': operation(
    Type.Object(
      { ...oneSource.properties, opensIncident: Type.Optional(Type.Boolean()) },
      { additionalProperties: false },
    ),
    Type.Object({ deliveryId: uuid, accepted: Type.Integer() }),
  ),
} satisfies Operations
