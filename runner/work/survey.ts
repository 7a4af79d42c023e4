import { mostProposals, type SurveyOrder, type SurveyProposal } from '@signalbox/contract/runner/messages.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { begin } from './begin.ts'
import { equippedFor } from './inside.ts'
import { againPrompt, surveyPrompt } from './prompts.ts'
import { leftBehind, Proposals } from './results.ts'
import { forgetHomes, openSite } from './site.ts'
import { touchedIn } from './touched.ts'
import { AgentAtWork, failureOf } from './turn.ts'
import type { Workshop } from './workshop.ts'

/** What a team writes down for surveys. */
const notesFile = '.kanman/strategy.md'
const mostOfNotes = 20_000

/**
 * Has the agent look over the repository and say what is worth a story. It only looks: nothing is committed or pushed,
 * and what it changes all the same is thrown away and named.
 */
export async function survey(own: Workshop, order: SurveyOrder, context: OrderContext): Promise<void> {
  const { store, base } = await openSite(own, { ...order, base: null, work: null }, context)
  const shop = await equippedFor(own, order, context, { store, commit: base })
  const agent = new AgentAtWork(shop, order, context)
  const worktree = await store.checkout(base)
  try {
    begin(shop, context, agent, base)
    context.phase('surveying')
    const notes =
      (await store.readFile(base, notesFile))?.toString('utf8').slice(0, mostOfNotes).trim() || null
    context.print(notes === null ? `There is no ${notesFile}.` : `Read ${notesFile}.`)
    let why = ''
    for (const isLast of [false, true]) {
      const prompt = surveyPrompt(order, { ...agent.place, notes })
      const { end, question, out } = await agent.turn(store, worktree, {
        purpose: 'propose',
        prompt: why ? againPrompt(prompt, why) : prompt,
        readOnly: true,
        commit: base,
      })
      const left = leftBehind(out, 'proposals.json', Proposals)
      if ('found' in left) {
        const proposals = usable(left.found, { hasNotes: notes !== null }, context)
        const touched = await touchedIn(store, worktree, base)
        if (touched.length > 0)
          context.print(`Discarded, because a survey only looks: ${touched.slice(0, 10).join(', ')}.`)
        return context.report({ type: 'surveyed', commit: base, proposals, touched })
      }
      if (end.ended !== 'normally') throw failureOf(end)
      why = 'wrong' in left ? left.wrong : 'There was no proposals.json.'
      if (question) why = `No one is there to answer questions. ${why}`
      if (isLast) throw new WorkFailed(`The agent ended without proposals. ${why}`, 'persistent')
      context.print(`${why} Asked once more.`)
    }
  } finally {
    await worktree.release()
    await agent.leave()
    await forgetHomes(shop, order.run)
  }
}

/** What the server can take of it, in its words; what is left out is said. */
function usable(
  { proposals }: Proposals,
  { hasNotes }: { hasNotes: boolean },
  context: OrderContext,
): SurveyProposal[] {
  const founded = proposals.filter(({ kind, title }) => {
    const isFounded = kind !== 'strategy_proposal' || hasNotes
    if (!isFounded) context.print(`Left out, because there are no strategy notes: ${title}`)
    return isFounded
  })
  for (const { title } of founded.slice(mostProposals))
    context.print(`Left out, because a survey proposes at most ${mostProposals}: ${title}`)
  return founded.slice(0, mostProposals).map(({ fingerprint, story, ...proposal }) => ({
    ...proposal,
    fingerprint: asFingerprint(fingerprint),
    story: story
      ? {
          ...{ size: null, complexity: null, demonstrate: null, ...story },
          title: proposal.title,
          description: story.description ?? proposal.body,
          acceptanceCriteria: story.acceptanceCriteria ?? [],
        }
      : null,
  }))
}

/** Agents write names as they like; the same name is the same however it is written. */
const asFingerprint = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9._/@:+-]+/g, '-')
    .replace(/^[^a-z0-9]+/, '')
    .slice(0, 200) || 'unnamed'
