import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { readDecision } from '../decisions/read.ts'
import { outcomeOf } from './decision-message.ts'
import { selectAnswered } from './store.ts'

/** For the person who answered second: who was first, and with what. */
export async function outcomeText(ctx: Context, key: string): Promise<string> {
  const [decision, answered] = await Promise.all([
    readDecision(ctx, key),
    selectAnswered(ctx.db, ctx.workspaceId, key),
  ])
  return `${key} is already closed. ${outcomeOf(fromJson(decision), answered?.name ?? null)}`
}
