import { type TObject, Type } from 'typebox'
import type { ResourceKind } from '../resource-kinds.ts'
import { recordOf } from '../shapes.ts'
import { ManagedConnection } from './connections.ts'
import { ManagedMember } from './members.ts'
import { ManagedPlace } from './places.ts'
import { ManagedPolicy } from './policies.ts'
import { ManagedRepositories } from './repositories.ts'
import { maxResourceName } from './resource.ts'
import { ManagedService } from './services.ts'
import { ManagedSource } from './sources.ts'
import { ManagedTeam } from './teams.ts'
import { ManagedWebhook } from './webhooks.ts'

/** How each kind is written. Every one of them is closed: a mistyped field is refused. */
export const resourceSchemas = {
  connections: ManagedConnection,
  teams: ManagedTeam,
  policies: ManagedPolicy,
  repositories: ManagedRepositories,
  places: ManagedPlace,
  services: ManagedService,
  sources: ManagedSource,
  webhooks: ManagedWebhook,
  members: ManagedMember,
} satisfies Record<ResourceKind, TObject>

/** The version of the file's format. */
export const fileVersion = 1

const most = { longest: maxResourceName, most: 2_000 }

/** What a file says: by kind and name. A kind that is left out is left alone. */
export const Configuration = Type.Object(
  {
    version: Type.Literal(fileVersion, { description: 'of this format' }),
    connections: Type.Optional(recordOf(ManagedConnection, most)),
    teams: Type.Optional(recordOf(ManagedTeam, most)),
    policies: Type.Optional(recordOf(ManagedPolicy, most)),
    repositories: Type.Optional(recordOf(ManagedRepositories, most)),
    places: Type.Optional(recordOf(ManagedPlace, most)),
    services: Type.Optional(recordOf(ManagedService, most)),
    sources: Type.Optional(recordOf(ManagedSource, most)),
    webhooks: Type.Optional(recordOf(ManagedWebhook, most)),
    members: Type.Optional(recordOf(ManagedMember, most)),
  },
  { $id: 'Configuration', additionalProperties: false },
)

/** The same for a program that goes through all kinds alike. */
export type Resources = { [Kind in ResourceKind]?: Record<string, object> }
export type Configuration = Resources & { version: typeof fileVersion }
