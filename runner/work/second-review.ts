import { executorNames } from '@signalbox/contract/executor-names.ts'
import { isolationLacks, isolationWith, lackingFor } from '@signalbox/contract/isolation.ts'
import { agentVendors, reviewerAmong } from '@signalbox/contract/reviewers.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import type { SecondReview } from '@signalbox/contract/second-review.ts'
import { visible } from '@signalbox/contract/visible.ts'
import type { Agent } from '../agents/agent.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { againPrompt, isCut, reviewPrompt, type ToReview } from './prompts.ts'
import { leftBehind, Review } from './results.ts'
import type { Site } from './site.ts'
import { touchedIn } from './touched.ts'
import { AgentAtWork } from './turn.ts'
import type { Workshop } from './workshop.ts'

type About = Pick<SecondReview, 'agent' | 'model'>

const nobody: About = { agent: null, model: null }
const without = (result: 'not_reviewed' | 'unreadable', about: About, why: string): SecondReview => ({
  result,
  ...about,
  says: visible(`${result === 'not_reviewed' ? 'Not reviewed: ' : ''}${why}`).slice(0, 2_000),
  findings: [],
})

/**
 * Has another agent read the change, where the policy wants that: in a box with the worktree read-only, with the model
 * and nothing else, for what is left of the run's budget. Whatever becomes of it is said; it never fails the order.
 */
export async function reviewChange(
  shop: Workshop,
  order: Order,
  context: OrderContext,
  site: Site,
  spec: ToReview['spec'],
): Promise<SecondReview | undefined> {
  const { secondReview: wanted } = order.policy
  if (!wanted || wanted.by === 'off') return
  const found = reviewerIn(shop, order)
  if ('missing' in found) return without('not_reviewed', nobody, found.missing)
  const { executor } = found.agent
  const model = wanted.model ?? shop.modelFor(executor.name)
  const about: About = { agent: executor.name, model }
  const lacks = lackingFor(
    order.policy.isolation,
    isolationWith(shop.box.isolation, executor.access, order.policy.modelTools),
  )
  if (lacks.length > 0)
    return without(
      'not_reviewed',
      about,
      `the policy requires the runner to ${lacks.map((fact) => isolationLacks[fact]).join(' and ')}, which does not hold for ${executorNames[executor.name]} here.`,
    )
  context.phase('reviewing')
  context.print(`${executorNames[executor.name]} reviews the change.`)
  const reviewer = new AgentAtWork(
    { ...shop, modelFor: () => model },
    { ...order, executor: executor.name },
    context,
    { isReviewer: true },
  )
  try {
    return await read(reviewer, { order, context, site, spec, about })
  } catch (error) {
    context.cancelled.throwIfAborted()
    if (error instanceof WorkFailed) return without('not_reviewed', about, error.message)
    throw error
  } finally {
    await reviewer.leave()
  }
}

/** The agent that the policy names, or one of another vendor than the author's. */
export function reviewerIn(
  { agents }: Pick<Workshop, 'agents'>,
  { executor: author, policy }: Pick<Order, 'executor' | 'policy'>,
): { agent: Agent } | { missing: string } {
  const by = policy.secondReview?.by ?? 'off'
  const name = reviewerAmong(
    agents.map(({ executor }) => executor.name),
    { author, by },
  )
  const agent = agents.find(({ executor }) => executor.name === name)
  if (agent) return { agent }
  if (by !== 'another_vendor' && by !== 'off')
    return { missing: `${executorNames[by]} is not available on this runner.` }
  return {
    missing:
      agentVendors[author] === null
        ? `${executorNames[author]} works with models of several vendors, so none is known to be another. Name the reviewing agent in the policy.`
        : 'no agent of another vendor is available on this runner.',
  }
}

interface Reading {
  order: Order
  context: OrderContext
  site: Site
  spec: ToReview['spec']
  about: About
}

async function read(
  reviewer: AgentAtWork,
  { order, context, site: { store, base, head }, spec, about }: Reading,
): Promise<SecondReview> {
  const diff = await store.diff(base, head)
  const worktree = await store.checkout(head)
  try {
    let why = ''
    for (const isLast of [false, true]) {
      const prompt = reviewPrompt(order, { ...reviewer.place, base, diff, spec })
      const { end, question, out } = await reviewer.turn(store, worktree, {
        purpose: 'review',
        prompt: why ? againPrompt(prompt, why) : prompt,
        readOnly: true,
        commit: head,
      })
      // Before the turn began, nothing was made that could be read.
      if (end.ended === 'limit' && end.isBudget) return without('not_reviewed', about, end.error)
      const touched = await touchedIn(store, worktree, head)
      if (touched.length > 0)
        return without(
          'unreadable',
          about,
          `The reviewing agent changed the worktree, so its findings were discarded. Changed: ${touched.slice(0, 10).join(', ')}.`,
        )
      const left = leftBehind(out, 'review.json', Review)
      if ('found' in left) return reviewed(left.found, { reviewer, about, diff })
      if (end.ended === 'cancelled') return without('not_reviewed', about, 'the agent was stopped.')
      if (end.ended !== 'normally') return without('not_reviewed', about, end.error)
      why = 'wrong' in left ? left.wrong : 'There was no review.json.'
      if (question) why = `No one is there to answer questions. ${why}`
      if (isLast) break
      context.print(`${why} Asked once more.`)
    }
    return without('unreadable', about, `The answer of the reviewing agent could not be used. ${why}`)
  } finally {
    await worktree.release()
  }
}

/** In words that people see as they are. Text that opens the operator's account goes nowhere. */
function reviewed(
  { findings }: Review,
  { reviewer, about, diff }: { reviewer: AgentAtWork; about: About; diff: string },
): SecondReview {
  if (reviewer.givesAway(JSON.stringify(findings)))
    return without(
      'unreadable',
      about,
      'The answer contained what the reviewing agent signs in with, so it was discarded.',
    )
  return {
    result: 'reviewed',
    ...about,
    says: isCut(diff) ? 'The diff was too long to be shown to the reviewer whole.' : null,
    findings: findings.map(({ file, says, ...found }) => ({
      ...found,
      file: file === null ? null : visible(file).slice(0, 1_000),
      says: visible(says).slice(0, 1_000),
    })),
  }
}
