import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import { connectionsKind } from './connections.ts'
import { type AnyKind, anyKind } from './kind.ts'
import { membersKind } from './members.ts'
import { placesKind } from './places.ts'
import { policiesKind } from './policies.ts'
import { repositoriesKind } from './repositories.ts'
import { servicesKind } from './services.ts'
import { sourcesKind } from './sources.ts'
import { teamsKind } from './teams.ts'
import { webhooksKind } from './webhooks.ts'

/** Every kind of resource that a file can manage. */
export const kinds: Record<ResourceKind, AnyKind> = {
  connections: anyKind(connectionsKind),
  teams: anyKind(teamsKind),
  policies: anyKind(policiesKind),
  repositories: anyKind(repositoriesKind),
  places: anyKind(placesKind),
  services: anyKind(servicesKind),
  sources: anyKind(sourcesKind),
  webhooks: anyKind(webhooksKind),
  members: anyKind(membersKind),
}
