import { Type } from 'typebox'
import { anyRecordOf, nullable, type Of, oneOf, timestamp, uuid } from './shapes.ts'
import { senderKinds } from './signal.ts'

export const sourceKinds = [...senderKinds, 'uptime'] as const
export type SourceKind = (typeof sourceKinds)[number]

/** Where alerts of one sender arrive. */
export const Source = Type.Object(
  {
    id: uuid,
    kind: oneOf(sourceKinds),
    name: Type.String(),
    url: nullable(
      Type.String({ description: 'the address to paste into the sender; null for uptime checks' }),
    ),
    services: Type.Array(uuid, { description: 'the services it feeds' }),
    settings: anyRecordOf(Type.Unknown()),
    paused: Type.Boolean(),
    /** Until when the former secret is accepted too. */
    formerSecretUntil: nullable(timestamp),
    canUpdateAlerts: Type.Boolean({
      description: 'whether credentials for acknowledging and resolving are kept',
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { $id: 'Source', additionalProperties: false },
)
export type Source = Of<typeof Source>
