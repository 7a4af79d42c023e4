import { guard } from '@signalbox/contract/guard/guard.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { specFolder } from '../acceptance/spec.ts'
import type { Worktree } from '../git/git.ts'
import { Unacceptable } from '../git/worktree.ts'
import { type Hands, Stopped, WorkFailed } from '../orders/hands.ts'
import { begin } from './begin.ts'
import { equippedFor } from './inside.ts'
import { implementPrompt } from './prompts.ts'
import { leftBehind, Scope } from './results.ts'
import { forgetParked, keepWork, openSite, park, type Site, takenUp } from './site.ts'
import { putSpec, writeSpec } from './spec.ts'
import { AgentAtWork, failureOf } from './turn.ts'
import type { Workshop } from './workshop.ts'

/** A site with a checkout, and the acceptance spec as it was pinned. */
export interface Bench extends Site {
  worktree: Worktree
  pinned: ReadonlyMap<string, Buffer>
}

/** Has the agent change the repository, and looks at what came of it through git alone. */
export async function implement(own: Workshop, order: Order, hands: Hands): Promise<void> {
  const site = await takenUp(own, order, await openSite(own, order, hands))
  const shop = await equippedFor(own, order, hands, { store: site.store, commit: site.base })
  const agent = new AgentAtWork(shop, order, hands)
  const writesSpec = !order.spec && order.policy.acceptanceRequired
  const worktree = await site.store.checkout(writesSpec ? site.base : site.head, { resumes: true })
  try {
    begin(shop, hands, agent, site.base)
    const spec = writesSpec ? await writeSpec(shop, order, hands, agent, site, worktree) : order.spec
    if (spec === 'ended') return
    // Whoever wrote the spec may have written elsewhere too.
    if (writesSpec) await worktree.reset(site.head)
    const pinned = await putSpec(worktree, hands, spec)
    await change(shop, { ...order, spec }, hands, agent, { ...site, worktree, pinned })
  } finally {
    await worktree.release({ keeps: true })
    await agent.leave()
  }
}

async function change(
  shop: Workshop,
  order: Order,
  hands: Hands,
  agent: AgentAtWork,
  site: Bench,
): Promise<void> {
  const { worktree } = site
  hands.phase('implementing')
  const before = await worktree.tree()
  const commit = async () => {
    const head = await worktree.commit(site.base, `${order.story.key}: ${order.story.title}`).catch(refused)
    if (agent.hasSignIn && agent.givesAway(await site.store.diff(site.base, head)))
      throw new WorkFailed('The change was refused. It holds what the agent signs in with.', 'policy')
    return head
  }
  const setAside = async () => park(shop, order, site, await commit())
  let turned: Awaited<ReturnType<AgentAtWork['turn']>>
  try {
    turned = await agent.turn(site.store, worktree, {
      purpose: 'implement',
      prompt: implementPrompt(order, { ...agent.place, specFolder: specFolder(order.story.key) }),
      readOnly: false,
      commit: site.head,
    })
  } catch (error) {
    // Stopped for money or by a person: what is there is kept for when the run goes on.
    if (error instanceof Stopped || hands.cancelled.aborted) await setAside()
    throw error
  }
  const { end, question, denials, out } = turned
  if (question)
    return hands.report({
      ...question,
      type: 'question_asked',
      work: await keepWork(site, hands, await commit()),
    })
  const scope = leftBehind(out, 'scope.json', Scope)
  if ('found' in scope) return hands.report({ ...scope.found, type: 'scope_change_proposed' })
  if ('wrong' in scope) throw new WorkFailed(scope.wrong, 'persistent')
  if (end.ended === 'limit') await setAside()
  if (end.ended !== 'normally') throw failureOf(end)
  // A spec that was put back is a change, even when there is nothing to add.
  if (!order.restoreSpec && (await worktree.tree().catch(refused)) === before) {
    throw denials.length > 0
      ? new WorkFailed(`The agent changed nothing. It was refused: ${denials.join('; ')}`, 'policy')
      : new WorkFailed('The agent ended without changing anything.', 'persistent')
  }
  await handOn(order, hands, site, await commit())
  await forgetParked(shop, order.run)
}

function refused(error: unknown): never {
  throw error instanceof Unacceptable
    ? new WorkFailed(`The change was refused. ${error.message}`, 'policy')
    : error
}

/** What is handed on: the commit, its diff, and what the guard says of it. */
export async function handOn(order: Order, hands: Hands, site: Bench, head: string): Promise<void> {
  hands.phase('looking at the change')
  const seen = await guard(site.store, {
    ...{ base: site.base, head, pinned: site.pinned },
    deniedPaths: order.policy.deniedPaths,
    exceptions: order.exceptions,
  })
  if (seen.refusals.length > 0)
    throw new WorkFailed(`The change was refused. ${seen.refusals.join(' ')}`, 'policy')
  const diff = await site.store.diff(site.base, head)
  // What is missing of the spec is in no diff: the base did not have it.
  const paths = [...new Set([...seen.change.paths, ...seen.spec])]
  hands.report({
    type: 'change_ready',
    change: { ...seen.change, files: paths.length, paths },
    work: await keepWork(site, hands, head),
    diff: await hands.keep(Buffer.from(diff)),
    findings: shortened(seen.findings.map(({ says }) => says)),
  })
}

const mostFindings = 200

/** Whoever makes more than anybody reads is still told of. */
const shortened = (findings: string[]): string[] => [
  ...findings.slice(0, mostFindings - 1).map((finding) => finding.slice(0, 1_000)),
  ...(findings.length >= mostFindings ? [`And ${findings.length - mostFindings + 1} more like these.`] : []),
]
