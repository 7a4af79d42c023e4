import type { Order } from '@signalbox/contract/runner/messages.ts'
import { specFolder } from '../acceptance/spec.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { begin } from './begin.ts'
import { equippedFor } from './inside.ts'
import { againPrompt, planPrompt } from './prompts.ts'
import { leftBehind, Plan } from './results.ts'
import { openOthers, openSite } from './site.ts'
import { AgentAtWork, type Beside, failureOf } from './turn.ts'
import type { Workshop } from './workshop.ts'

/** Has the agent look at the repository and say what it would do. Nothing but a plan comes of it. */
export async function plan(own: Workshop, order: Order, context: OrderContext): Promise<void> {
  const { store, base } = await openSite(own, order, context)
  const others = await openOthers(own, order, context)
  const shop = await equippedFor(own, order, context, { store, commit: base })
  const agent = new AgentAtWork(shop, order, context)
  const worktree = await store.checkout(base)
  const beside: Beside[] = []
  try {
    for (const other of others)
      beside.push({ ...other, worktree: await other.store.checkout(other.base), commit: other.base })
    begin(shop, context, agent, base, others)
    const places = beside.map((other) => ({ name: other.name, folder: agent.inside(other.worktree) }))
    context.phase('planning')
    let why = ''
    for (const isLast of [false, true]) {
      const prompt = planPrompt(order, {
        ...{ ...agent.place, specFolder: specFolder(order.story.key), beside: places },
      })
      const { end, question, out } = await agent.turn(store, worktree, {
        purpose: 'plan',
        prompt: why ? againPrompt(prompt, why) : prompt,
        readOnly: true,
        commit: base,
        beside,
      })
      if (question) return context.report({ ...question, type: 'question_asked', work: null })
      if (end.ended !== 'normally') throw failureOf(end)
      const left = leftBehind(out, 'plan.json', Plan)
      if ('found' in left) return context.report({ ...left.found, type: 'plan_ready' })
      why = 'wrong' in left ? left.wrong : 'There was no plan.json.'
      if (isLast) throw new WorkFailed(`The agent ended without a plan. ${why}`, 'persistent')
      context.print(`${why} Asked once more.`)
    }
  } finally {
    for (const one of [worktree, ...beside.map((other) => other.worktree)]) await one.release()
    await agent.leave()
  }
}
