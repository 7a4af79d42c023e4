import type { ManagedResource } from '@signalbox/contract/app/managed.ts'
import type { Context } from '../../context.ts'
import { selectManaged } from './store.ts'

/** Everything in the workspace that a file manages. */
export const listManaged = (ctx: Context): Promise<readonly ManagedResource[]> =>
  selectManaged(ctx.db, ctx.workspaceId)
