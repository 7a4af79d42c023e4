import { guard } from '@signalbox/contract/guard/guard.ts'
import type { Order, RunnerEvent, Work } from '@signalbox/contract/runner/messages.ts'
import { specFolder } from '../acceptance/spec.ts'
import type { Worktree } from '../git/git.ts'
import { Unacceptable } from '../git/worktree.ts'
import { type OrderContext, Stopped, WorkFailed } from '../orders/order-context.ts'
import { begin } from './begin.ts'
import { equippedFor } from './inside.ts'
import { implementPrompt } from './prompts.ts'
import { leftBehind, Scope } from './results.ts'
import {
  forgetParked,
  keepWork,
  type NamedSite,
  openOthers,
  openSite,
  park,
  resumeSite,
  type Site,
} from './site.ts'
import { putSpec, writeSpec } from './spec.ts'
import { AgentAtWork, type Beside, failureOf, orderIn } from './turn.ts'
import type { Workshop } from './workshop.ts'

/** A site with a checkout, and the acceptance spec as it was pinned. */
export interface Bench extends Site {
  worktree: Worktree
  pinned: ReadonlyMap<string, Buffer>
}

/** The same of another repository. */
interface OtherBench extends Bench {
  name: string
}

/** Has the agent change the repository, and looks at the result through git alone. */
export async function implement(own: Workshop, order: Order, context: OrderContext): Promise<void> {
  const site = await resumeSite(own, order, await openSite(own, order, context))
  const others: NamedSite[] = []
  for (const other of await openOthers(own, order, context)) others.push(await resumeSite(own, order, other))
  const shop = await equippedFor(own, order, context, { store: site.store, commit: site.base })
  const agent = new AgentAtWork(shop, order, context)
  const writesSpec = !order.spec && order.policy.acceptanceRequired
  const startOf = ({ base, head }: Site) => (writesSpec ? base : head)
  const worktree = await site.store.checkout(startOf(site), { resumes: true })
  const beside: Beside[] = []
  try {
    for (const other of others) {
      const commit = startOf(other)
      const there = await other.store.checkout(commit, { resumes: true })
      beside.push({ name: other.name, store: other.store, worktree: there, commit })
    }
    begin(shop, context, agent, site.base, others)
    const spec = writesSpec
      ? await writeSpec(shop, order, context, agent, site, worktree, beside)
      : order.spec
    if (spec === 'ended') return
    // The turn that wrote the spec may have written elsewhere too.
    if (writesSpec) await worktree.reset(site.head)
    const isIn = (name: string) => (spec?.repository ?? order.repository.name) === name
    const pinnedIn = (name: string, there: Worktree) => putSpec(there, context, isIn(name) ? spec : null)
    const benches: OtherBench[] = []
    for (const [at, other] of others.entries()) {
      const there = beside[at]!.worktree
      if (writesSpec) await there.reset(other.head)
      benches.push({ ...other, worktree: there, pinned: await pinnedIn(other.name, there) })
    }
    const pinned = await pinnedIn(order.repository.name, worktree)
    await change(shop, { ...order, spec }, context, agent, { ...site, worktree, pinned }, benches)
  } finally {
    for (const one of [worktree, ...beside.map((other) => other.worktree)])
      await one.release({ keepsFiles: true })
    await agent.leave()
  }
}

async function change(
  shop: Workshop,
  order: Order,
  context: OrderContext,
  agent: AgentAtWork,
  site: Bench,
  others: OtherBench[],
): Promise<void> {
  context.phase('implementing')
  const trees = () => Promise.all([site, ...others].map(({ worktree }) => worktree.tree()))
  const before = (await trees()).join()
  const commit = async ({ worktree, base, store }: Bench) => {
    const head = await worktree.commit(base, `${order.story.key}: ${order.story.title}`).catch(refused)
    if (agent.hasSignIn && agent.givesAway(await store.diff(base, head)))
      throw new WorkFailed('The change was refused. It contains what the agent signs in with.', 'policy')
    return head
  }
  const commitOthers = async () => {
    const made: (OtherBench & { made: string })[] = []
    for (const other of others) made.push({ ...other, made: await commit(other) })
    return made
  }
  const setAside = async () => park(shop, order, site, await commit(site), await commitOthers())
  let turned: Awaited<ReturnType<AgentAtWork['turn']>>
  try {
    const places = others.map((other) => ({ name: other.name, folder: agent.inside(other.worktree) }))
    turned = await agent.turn(site.store, site.worktree, {
      purpose: 'implement',
      prompt: implementPrompt(order, {
        ...{ ...agent.place, specFolder: specFolder(order.story.key), beside: places },
      }),
      readOnly: false,
      commit: site.head,
      beside: others.map((other) => ({ ...other, commit: other.head })),
    })
  } catch (error) {
    // Stopped for money or by a person: what is there is kept for when the run goes on.
    if (error instanceof Stopped || context.cancelled.aborted) await setAside()
    throw error
  }
  const { end, question, denials, out } = turned
  if (question) {
    const kept: { name: string; work: Work }[] = []
    for (const other of await commitOthers())
      if (await isChanged(other, other.made))
        kept.push({ name: other.name, work: await keepWork(other, context, other.made) })
    return context.report({
      ...question,
      type: 'question_asked',
      work: await keepWork(site, context, await commit(site)),
      ...(kept.length > 0 ? { others: kept } : {}),
    })
  }
  const scope = leftBehind(out, 'scope.json', Scope)
  if ('found' in scope) return context.report({ ...scope.found, type: 'scope_change_proposed' })
  if ('wrong' in scope) throw new WorkFailed(scope.wrong, 'persistent')
  if (end.ended === 'limit') await setAside()
  if (end.ended !== 'normally') throw failureOf(end)
  // A spec that was put back is a change, even when there is nothing to add.
  if (!order.restoreSpec && (await trees().catch(refused)).join() === before) {
    throw denials.length > 0
      ? new WorkFailed(`The agent changed nothing. It was refused: ${denials.join('; ')}`, 'policy')
      : new WorkFailed('The agent ended without changing anything.', 'persistent')
  }
  if (others.length === 0) await reportChange(order, context, site, await commit(site))
  else await handOnAll(order, context, { ...site, made: await commit(site) }, await commitOthers())
  await forgetParked(shop, order.run)
}

/** Whether anything of a repository is another than where the run began. */
const isChanged = async ({ store, base }: Site, head: string): Promise<boolean> =>
  (await store.changes(base, head)).length > 0

function refused(error: unknown): never {
  throw error instanceof Unacceptable
    ? new WorkFailed(`The change was refused. ${error.message}`, 'policy')
    : error
}

/** What is handed on: the commit, its diff, and what the guard says of it. */
export async function reportChange(
  order: Order,
  context: OrderContext,
  site: Bench,
  head: string,
): Promise<void> {
  context.report({ type: 'change_ready', ...(await lookedAt(order, context, site, head)) })
}

/** The same of each repository that was changed. */
async function handOnAll(
  order: Order,
  context: OrderContext,
  site: Bench & { made: string },
  others: (OtherBench & { made: string })[],
): Promise<void> {
  const first = (await isChanged(site, site.made))
    ? await lookedAt(orderIn(order, null), context, site, site.made)
    : { change: { files: 0, additions: 0, deletions: 0, paths: [] } }
  const changed: NonNullable<Extract<RunnerEvent, { type: 'change_ready' }>['others']> = []
  for (const other of others) {
    const { name, made } = other
    if (!(await isChanged(other, made))) continue
    changed.push({ name, ...(await lookedAt(orderIn(order, name), context, other, made)) })
  }
  if (!('work' in first) && changed.length === 0)
    throw new WorkFailed('The agent reverted everything that was changed.', 'persistent')
  context.report({ type: 'change_ready', ...first, ...(changed.length > 0 ? { others: changed } : {}) })
}

async function lookedAt(order: Order, context: OrderContext, site: Bench, head: string) {
  context.phase('looking at the change')
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
  return {
    change: { ...seen.change, files: paths.length, paths },
    work: await keepWork(site, context, head),
    diff: await context.keep(Buffer.from(diff)),
    findings: shortened(seen.findings.map(({ says }) => says)),
  }
}

const mostFindings = 200

/** What is beyond the limit is still mentioned. */
const shortened = (findings: string[]): string[] => [
  ...findings.slice(0, mostFindings - 1).map((finding) => finding.slice(0, 1_000)),
  ...(findings.length >= mostFindings ? [`And ${findings.length - mostFindings + 1} more like these.`] : []),
]
