import { maxRequirementLength } from '@signalbox/contract/limits.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Performer } from '../outbox/perform.ts'
import type { Splitter } from '../ports/splitter.ts'
import { readTeam } from '../teams/read.ts'
import { checkedText } from '../text.ts'
import { fileRequirement } from './file-requirement.ts'
import { outcomeOf } from './outcome.ts'

/** Takes in a proposal that somebody accepted and that is no story yet. The answer to a decision does not wait for it. */
export const submitProposal =
  (splitter: Splitter): Performer<'submit_requirement'> =>
  async (ctx, effect) => {
    const data = effect.data
    // Nobody is there who could shorten it.
    const some = data.text.slice(0, maxRequirementLength)
    const text = checkedText('text', some, { least: 1, most: maxRequirementLength })
    const team = fromJson(await readTeam(ctx, data.team))
    const asked = { text, answers: [] }
    const outcome = outcomeOf(await splitter.split(asked, team), asked)
    return {
      settle: async (tx) =>
        (await fileRequirement(ctx, tx, { team, text, splitter: splitter.name, outcome })).audit,
    }
  }
