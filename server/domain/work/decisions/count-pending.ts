import type { DecisionCount } from '@signalbox/contract/app/decisions.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { selectCount } from './store.ts'

/** How many decisions wait, in all and by team and kind. */
export const countPending = (ctx: Context): Promise<Json<DecisionCount>> =>
  selectCount(ctx.db, ctx.workspaceId)
