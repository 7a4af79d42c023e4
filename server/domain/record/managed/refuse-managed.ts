import { type ResourceKind, resourceNouns } from '@signalbox/contract/resource-kinds.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { isLocked } from './store.ts'

/**
 * Refuses a person's change of what a file manages: the file would take it back. What the product or its operator does
 * is not held up by it.
 */
export async function refuseManaged(ctx: Context, tx: Tx, kind: ResourceKind, id: string): Promise<void> {
  if (ctx.actor.type !== 'human' || ctx.channel === 'manage') return
  if (await isLocked(tx, ctx.workspaceId, kind, id))
    throw new DomainError(
      'conflict',
      `This ${resourceNouns[kind]} is managed by a file. Change it in the file, or unlock it in the app first.`,
    )
}
