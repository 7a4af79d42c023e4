import type { DecisionCount } from '@signalbox/contract/app/decisions.ts'
import { isAtLeast } from '@signalbox/contract/roles.ts'
import type { Json } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { authorities } from './authority.ts'
import { selectCount } from './store.ts'
import { viewerOf } from './viewer.ts'

/** How many decisions wait in the inbox of the person who asks: in all, by team and kind, and what they may answer. */
export const countPending = (ctx: Context): Promise<Json<DecisionCount>> =>
  selectCount(ctx.db, ctx.workspaceId, viewerOf(ctx), answerable(ctx))

function answerable({ actor }: Context): string[] {
  const all = Object.entries(authorities)
  const theirs = actor.type === 'human' ? all.filter(([, least]) => isAtLeast(actor.role, least)) : all
  return theirs.map(([kind]) => kind)
}
