import type { Push } from '../../ports/push.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { pathOf } from './link.ts'
import { deleteBrowser, selectBrowserByNotification } from './person-store.ts'
import { sendableOf } from './sendable.ts'
import { markPushed } from './store.ts'

/** Pushes a notification to one of the person's browsers. A browser that no longer accepts pushes is forgotten. */
export const pushNotification =
  (push: Push): Performer<'push_notification'> =>
  async (ctx, effect) => {
    const { notification: id, browser: browserId } = effect.data
    const [told, browser] = await Promise.all([
      sendableOf(ctx, id),
      selectBrowserByNotification(ctx.db, id, browserId, ctx.clock.now()),
    ])
    if (!told || !browser) return { settle: async () => [] }
    const pushed = await push.send({
      to: browser,
      key: effect.key,
      urgent: told.kind === 'incident',
      at: ctx.clock.now(),
      message: { id, title: told.title, body: told.body, path: pathOf(told.workspace, told) },
    })
    return {
      async settle(tx) {
        if (pushed === 'sent') await markPushed(tx, ctx.workspaceId, id, ctx.clock.now())
        else if (pushed === 'gone') await deleteBrowser(tx, browser.personId, browserId)
        return []
      },
    }
  }
