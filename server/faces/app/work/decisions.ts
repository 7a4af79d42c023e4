import type { reads, writes } from '@signalbox/contract/app/decisions.ts'
import { maxInboxPage } from '@signalbox/contract/limits.ts'
import { defaultPageSize } from '@signalbox/contract/page.ts'
import { resolveDecision } from '../../../domain/engine/answers/resolve.ts'
import { countPending } from '../../../domain/work/decisions/count-pending.ts'
import { listDecisionRows } from '../../../domain/work/decisions/list-rows.ts'
import { readDecisionPage } from '../../../domain/work/decisions/read-page.ts'
import { readPrecedents } from '../../../domain/work/decisions/read-precedents.ts'
import { snoozeDecision } from '../../../domain/work/decisions/snooze.ts'
import { unsnoozeDecision } from '../../../domain/work/decisions/unsnooze.ts'
import { type Handlers, paged } from '../operation.ts'

export const decisionsHandlers: Handlers<typeof reads & typeof writes> = {
  'decisions.list': (ctx, input, tools) =>
    paged(ctx, tools, 'decisions.list', input, ({ after }) =>
      listDecisionRows(ctx, input, { after, limit: Math.min(input.limit ?? defaultPageSize, maxInboxPage) }),
    ),
  'decisions.count': (ctx) => countPending(ctx),
  'decisions.read': (ctx, { key }, { gitHost }) => readDecisionPage(ctx, gitHost, key),
  'decisions.precedents': (ctx, { key }) => readPrecedents(ctx, key),
  'decisions.resolve': (ctx, input) => resolveDecision(ctx, input),
  'decisions.snooze': async (ctx, { key, until }) => {
    await snoozeDecision(ctx, ctx.actor.userId, key, new Date(until))
    return null
  },
  'decisions.unsnooze': async (ctx, { key }) => {
    await unsnoozeDecision(ctx, ctx.actor.userId, key)
    return null
  },
}
