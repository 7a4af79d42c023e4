import type { Order } from '@signalbox/contract/runner/messages.ts'
import { compareRuns } from '../gates/compare.ts'
import type { GateRun } from '../gates/gate.ts'
import { GatesFileError } from '../gates/gates-file.ts'
import { planGates } from '../gates/plan.ts'
import { runGates } from '../gates/run.ts'
import { type Hands, WorkFailed } from '../orders/hands.ts'
import { equippedFor } from './inside.ts'
import { withRoom } from './room.ts'
import { openSite } from './site.ts'
import { withWayIn } from './way-in.ts'
import type { Workshop } from './workshop.ts'

/**
 * Runs the gates on the main branch as a merge has left it, or as it is before one. What is red is held against the commit
 * before: whoever comes after a red main branch has not broken it.
 */
export async function checkMain(own: Workshop, order: Order, hands: Hands): Promise<void> {
  const { merged } = order
  if (!merged) throw new WorkFailed('There is no merge to check.', 'persistent')
  const { store } = await openSite(own, { ...order, work: null }, hands)
  await withWayIn(hands, 'read', (access) => store.fetchCommit(access, merged))
  const shop = await equippedFor(own, order, hands, { store, commit: merged })
  hands.phase('checking the main branch')
  const plan = await planGates(store, merged).catch((error: Error) => error)
  if (plan instanceof GatesFileError)
    return hands.report({ type: 'main_checked', state: 'red', findings: plan.message, gates: [] })
  if (plan instanceof Error) throw plan
  const { runs, isOlder } = await withRoom(shop, order, hands, async (room) => {
    const ran = await runGates(store, merged, plan, room)
    const isRed = ran.some(({ result }) => result === 'failed')
    const before = isRed && !hands.cancelled.aborted ? await store.parentOf(merged) : null
    if (!before) return { runs: ran, isOlder: false }
    hands.phase('checking the main branch before the merge')
    const onBefore = await shop.baseRuns.get(before, plan, () => runGates(store, before, plan, room))
    return { runs: ran, isOlder: isAllOlder(onBefore, ran) }
  })
  hands.cancelled.throwIfAborted()
  const red = runs.filter(({ result }) => result === 'failed')
  hands.report({
    type: 'main_checked',
    state: red.length > 0 ? 'red' : 'green',
    findings: red
      .map(({ name, summary }) => `${name}: ${summary}`)
      .join('; ')
      .slice(0, 20_000),
    gates: runs.map(({ name, result, summary }) => ({ name, result, summary })),
    ...(isOlder ? { isOlder } : {}),
  })
}

/** Whether nothing is red that was not, or more than it was. */
const isAllOlder = (before: GateRun[], after: GateRun[]): boolean =>
  compareRuns(before, after).gates.every(({ result }) => result !== 'failed')
