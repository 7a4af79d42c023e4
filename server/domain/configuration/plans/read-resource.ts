import type { ManagedState } from '@signalbox/contract/manage/resource.ts'
import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { requireRole } from '../../roles.ts'
import type { Tools } from '../resources/kind.ts'
import { managedStateOf, noResource } from './managed-state.ts'
import { readState } from './state.ts'

export async function readResource(
  ctx: Context,
  tools: Tools,
  kind: ResourceKind,
  name: string,
): Promise<ManagedState> {
  requireRole(ctx, 'admin', 'read the configuration')
  const existing = (await readState(ctx, tools)).find(kind, name)
  if (!existing) throw noResource(kind, name)
  return managedStateOf(existing)
}
