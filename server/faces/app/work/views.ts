import type { reads, writes } from '@signalbox/contract/app/views.ts'
import { listViews } from '../../../domain/work/views/list.ts'
import { removeView } from '../../../domain/work/views/remove.ts'
import { saveView } from '../../../domain/work/views/save.ts'
import type { Handlers } from '../operation.ts'

export const viewsHandlers: Handlers<typeof reads & typeof writes> = {
  'views.list': (ctx) => listViews(ctx, ctx.actor.userId),
  'views.save': (ctx, view) => saveView(ctx, ctx.actor.userId, view),
  'views.remove': async (ctx, { id }) => {
    await removeView(ctx, ctx.actor.userId, id)
    return null
  },
}
