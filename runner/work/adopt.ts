import type { Order } from '@signalbox/contract/runner/messages.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { begin } from './begin.ts'
import { withGitCredential } from './git-credential.ts'
import { reportChange } from './implement.ts'
import { equippedFor } from './inside.ts'
import { openSite, type Site } from './site.ts'
import { putSpec, writeSpec } from './spec.ts'
import { AgentAtWork } from './turn.ts'
import type { Workshop } from './workshop.ts'

/**
 * Brings in what a person has pushed, and looks at it as at any change: through git alone, and against a spec that was
 * seen failing on the commit they began from. Nothing of theirs runs here.
 */
export async function adopt(own: Workshop, order: Order, context: OrderContext): Promise<void> {
  if (!order.toAdopt) throw new WorkFailed('There is no branch to bring in.', 'persistent')
  const opened = await openSite(own, { ...order, work: null }, context)
  const site = await pushedSite(order, context, opened, order.toAdopt)
  const isSpecWanted = order.spec === null && order.policy.acceptanceRequired
  const commit = site.base
  const shop = isSpecWanted ? await equippedFor(own, order, context, { store: site.store, commit }) : own
  const agent = isSpecWanted ? new AgentAtWork(shop, order, context) : null
  const worktree = await site.store.checkout(site.base)
  try {
    if (agent) begin(shop, context, agent, site.base)
    const spec = agent ? await writeSpec(shop, order, context, agent, site, worktree) : order.spec
    if (spec === 'ended') return
    await worktree.reset(site.head)
    const pinned = await putSpec(worktree, context, spec)
    // As in every run the spec is part of what is merged; on top of theirs, so that their commits stay as they are.
    const message = `${order.story.key}: acceptance spec`
    const head = spec ? await worktree.commit(site.head, message) : site.head
    await reportChange(order, context, { ...site, worktree, pinned }, head)
  } finally {
    await worktree.release()
    await agent?.leave()
  }
}

/** The commit they mean, and where it left the main branch. */
async function pushedSite(
  order: Order,
  context: OrderContext,
  { store, base: main }: Site,
  { name, head }: NonNullable<Order['toAdopt']>,
): Promise<Site> {
  context.phase('fetching the pushed branch')
  const tip = await withGitCredential(context, 'read', (access) => store.fetchOwn(access, name)).catch(
    (error: Error) => {
      throw missing(`The branch ${name} could not be fetched from ${order.repository.name}: ${error.message}`)
    },
  )
  if (!(await store.has(head)) || !(await store.isAncestor(head, tip)))
    throw missing(`The commit ${head.slice(0, 12)} is not on the branch ${name}.`)
  const base = order.base ?? (await store.mergeBase(main, head))
  if (base === null)
    throw missing(`The branch ${name} has no commit in common with ${order.repository.branch}.`)
  if (base === head)
    throw missing(`The branch ${name} has no change: it is part of ${order.repository.branch}.`)
  context.print(`Brought in ${head.slice(0, 12)} of ${name}, which began at ${base.slice(0, 12)}.`)
  return { store, base, head }
}

/** What only they can mend: by a push, and a retry. */
const missing = (message: string) => new WorkFailed(`${message} Push it, then retry the run.`, 'dependency')
