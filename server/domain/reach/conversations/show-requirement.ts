import type { Chat } from '../../ports/chat.ts'
import { addEffect } from '../../record/outbox/add.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import type { Opening } from '../../tools/connections/open.ts'
import { placesShowing } from '../../work/chat/messages.ts'
import { show } from '../../work/chat/show.ts'
import { readWorkspaceSlug } from '../../work/chat/workspace-slug.ts'
import { readRequirementPage } from '../../work/requirements/read-page.ts'
import { requirementMessage } from './requirement-message.ts'

/** Shows a requirement in a place as it is now; its conversation goes on in the thread of that message. */
export const showRequirement =
  (
    chat: Chat | null,
    { secrets, publicUrl }: Pick<Opening, 'secrets'> & { publicUrl: () => string },
  ): Performer<'show_requirement'> =>
  async (ctx, effect) => {
    const { requirement, place } = effect.data
    if (place === null)
      return {
        settle: async (tx) => {
          for (const one of await placesShowing(tx, ctx.workspaceId, requirement))
            await addEffect(ctx, tx, {
              ...{ kind: 'show_requirement', key: `${effect.key}/${one}` },
              data: { requirement, place: one },
            })
          return []
        },
      }
    return show(ctx, { chat, secrets }, effect, {
      ...{ place, subject: requirement, under: null },
      async compose() {
        const page = await readRequirementPage(ctx, null, requirement)
        return requirementMessage(
          page,
          `${publicUrl()}/${await readWorkspaceSlug(ctx)}/intake/${requirement}`,
        )
      },
    })
  }
