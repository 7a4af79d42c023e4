import { maxRequirementLength } from '@signalbox/contract/limits.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { readWorkspace } from '../../accounts/workspaces/read.ts'
import type { Context } from '../../context.ts'
import type { Splitter } from '../../ports/splitter.ts'
import { addEffect } from '../../record/outbox/add.ts'
import type { EffectData } from '../../record/outbox/effect.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { checkedText } from '../../text.ts'
import { readTeam } from '../teams/read.ts'
import { fileRequirement } from './file-requirement.ts'
import { outcomeOf } from './outcome.ts'

/**
 * Takes in requirements in the background: an accepted proposal that is not a story yet, and what a person typed in a
 * chat tool, which expects an answer within seconds.
 */
export const submitAcceptedProposal =
  (splitter: Splitter, { publicUrl }: { publicUrl: () => string }): Performer<'submit_requirement'> =>
  async (ctx, effect) => {
    const data = effect.data
    // No one is there to shorten it.
    const some = data.text.slice(0, maxRequirementLength)
    const text = checkedText('text', some, { least: 1, most: maxRequirementLength })
    const team = fromJson(await readTeam(ctx, data.team))
    const asked = { text, answers: [] }
    const outcome = outcomeOf(await splitter.split(asked, team), asked)
    return {
      settle: async (tx) => {
        const filed = await fileRequirement(ctx, tx, { team, text, splitter: splitter.name, outcome })
        if (data.from) await showWhereAsked(ctx, tx, { ...filed, publicUrl }, data.from)
        return filed.audit
      },
    }
  }

/**
 * In the channel, where the conversation continues; only to the person who asked if the team is not in that channel.
 */
async function showWhereAsked(
  ctx: Context,
  tx: Tx,
  { slug, publicUrl }: { slug: string; publicUrl: () => string },
  { place, ...to }: NonNullable<EffectData['submit_requirement']['from']>,
): Promise<void> {
  if (place) {
    const key = `show_requirement/${slug}/${place}/submitted`
    await addEffect(ctx, tx, { kind: 'show_requirement', key, data: { requirement: slug, place } })
    return
  }
  const { slug: workspace } = await readWorkspace(ctx)
  const text = `Submitted: ${publicUrl()}/${workspace}/intake/${slug}`
  await addEffect(ctx, tx, {
    kind: 'post_ephemeral_message',
    key: `ephemeral/submitted/${slug}`,
    data: { ...to, text },
  })
}
