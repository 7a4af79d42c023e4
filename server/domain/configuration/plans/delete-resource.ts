import type { ResourceKind } from '@signalbox/contract/resource-kinds.ts'
import type { Context } from '../../context.ts'
import { unmark } from '../../record/managed/mark.ts'
import { requireRole } from '../../roles.ts'
import { kinds } from '../resources/index.ts'
import type { Tools } from '../resources/kind.ts'
import { noResource } from './managed-state.ts'
import { readState } from './state.ts'

/** Deletes a resource, or lets go of one that cannot be deleted alone. */
export async function deleteResource(
  ctx: Context,
  tools: Tools,
  kind: ResourceKind,
  name: string,
): Promise<void> {
  requireRole(ctx, 'admin', 'manage the configuration')
  const existing = (await readState(ctx, tools)).find(kind, name)
  if (!existing) throw noResource(kind, name)
  await kinds[kind].remove?.(ctx, existing.id, name, { tools })
  await unmark(ctx, existing)
}
