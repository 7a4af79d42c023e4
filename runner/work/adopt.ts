import type { Order } from '@signalbox/contract/runner/messages.ts'
import { type Hands, WorkFailed } from '../orders/hands.ts'
import { begin } from './begin.ts'
import { handOn } from './implement.ts'
import { equippedFor } from './inside.ts'
import { openSite, type Site } from './site.ts'
import { putSpec, writeSpec } from './spec.ts'
import { AgentAtWork } from './turn.ts'
import { withWayIn } from './way-in.ts'
import type { Workshop } from './workshop.ts'

/**
 * Brings in what a person has pushed, and looks at it as at any change: through git alone, and against a spec that was
 * seen failing on the commit they began from. Nothing of theirs runs here.
 */
export async function adopt(own: Workshop, order: Order, hands: Hands): Promise<void> {
  if (!order.toAdopt) throw new WorkFailed('There is no branch to bring in.', 'persistent')
  const opened = await openSite(own, { ...order, work: null }, hands)
  const site = await pushedSite(order, hands, opened, order.toAdopt)
  const isSpecWanted = order.spec === null && order.policy.acceptanceRequired
  const commit = site.base
  const shop = isSpecWanted ? await equippedFor(own, order, hands, { store: site.store, commit }) : own
  const agent = isSpecWanted ? new AgentAtWork(shop, order, hands) : null
  const worktree = await site.store.checkout(site.base)
  try {
    if (agent) begin(shop, hands, agent, site.base)
    const spec = agent ? await writeSpec(shop, order, hands, agent, site, worktree) : order.spec
    if (spec === 'ended') return
    await worktree.reset(site.head)
    const pinned = await putSpec(worktree, hands, spec)
    // As in every run the spec is part of what is merged; on top of theirs, so that their commits stay as they are.
    const message = `${order.story.key}: acceptance spec`
    const head = spec ? await worktree.commit(site.head, message) : site.head
    await handOn(order, hands, { ...site, worktree, pinned }, head)
  } finally {
    await worktree.release()
    await agent?.leave()
  }
}

/** The commit they mean, and where it left the main branch. */
async function pushedSite(
  order: Order,
  hands: Hands,
  { store, base: main }: Site,
  { name, head }: NonNullable<Order['toAdopt']>,
): Promise<Site> {
  hands.phase('fetching the pushed branch')
  const tip = await withWayIn(hands, 'read', (access) => store.fetchOwn(access, name)).catch(
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
  hands.print(`Brought in ${head.slice(0, 12)} of ${name}, which began at ${base.slice(0, 12)}.`)
  return { store, base, head }
}

/** What only they can mend: by a push, and a retry. */
const missing = (message: string) => new WorkFailed(`${message} Push it, then retry the run.`, 'dependency')
