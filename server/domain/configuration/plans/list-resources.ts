import type { ManagedState } from '@signalbox/contract/manage/resource.ts'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import type { Tools } from '../resources/kind.ts'
import { managedStateOf } from './managed-state.ts'
import { readState } from './state.ts'

/** All resources of a kind, by name. */
export async function listResources(ctx: Context, tools: Tools, kind: ResourceKind): Promise<ManagedState[]> {
  requireRole(ctx, 'admin', 'read the configuration')
  return (await readState(ctx, tools))
    .all(kind)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map(managedStateOf)
}
