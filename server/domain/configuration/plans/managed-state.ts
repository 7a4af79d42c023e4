import type { ManagedState } from '@signalbox/contract/manage/resource.ts'
import { type ResourceKind, resourceNouns } from '@signalbox/contract/resource-kinds.ts'
import { DomainError } from '../../errors.ts'
import type { Existing } from './state.ts'

/** A resource as the management API shows it. */
export const managedStateOf = ({
  kind,
  name,
  spec,
  managed,
  unlockedAt,
  address,
}: Existing): ManagedState => ({
  ...{ kind, name, spec },
  ...{ managed, locked: managed && unlockedAt === null },
  ...(address === undefined ? {} : { address }),
})

export const noResource = (kind: ResourceKind, name: string) =>
  new DomainError('not_found', `There is no ${resourceNouns[kind]} \`${name}\` in this workspace.`)
