import type { RemovedRunner } from '@signalbox/contract/app/runners.ts'
import type { Context } from '../../context.ts'
import { selectRemoved } from './store.ts'

/** Runners that were removed and can come back, each with its own key, until someone forgets them. */
export const listRemovedRunners = async (ctx: Context): Promise<RemovedRunner[]> => [
  ...(await selectRemoved(ctx.db, ctx.workspaceId)),
]
