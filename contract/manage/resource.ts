import type { TObject } from 'typebox'
import { Type } from 'typebox'
import type { ResourceKind } from '../resource-kinds.ts'
import { chosenName, nullable, oneOf } from '../shapes.ts'

export const maxResourceName = 254
/** A name in the file: a slug, the email address of a member, or what someone has chosen. */
export const possibleName = new RegExp(chosenName(maxResourceName))
export const nameMeaning = 'the name of the resource in the file, percent-encoded'
export const resourceName = Type.String({ pattern: possibleName.source, examples: ['web'] })

/** A resource as it is. */
export interface ManagedState {
  kind: ResourceKind
  name: string
  spec: object
  managed: boolean
  locked: boolean
  /** Of a source alone. */
  address?: string | null
}

const address = nullable(
  Type.String({
    description: 'where the sender delivers its alerts; null for uptime checks, which have no sender',
  }),
)

export const managedState = (kind: ResourceKind, spec: TObject) =>
  Type.Object(
    {
      kind: oneOf([kind]),
      name: Type.String(),
      spec,
      managed: Type.Boolean({ description: 'a file manages it' }),
      locked: Type.Boolean({ description: 'the app cannot change it' }),
      ...(kind === 'sources' ? { address } : {}),
    },
    { additionalProperties: false },
  )
