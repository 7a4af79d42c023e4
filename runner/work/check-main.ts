import type { AnyOrder } from '@signalbox/contract/runner/messages.ts'
import { compareRuns } from '../gates/compare.ts'
import type { GateRun } from '../gates/gate.ts'
import { GatesFileError } from '../gates/gates-file.ts'
import { planGates } from '../gates/plan.ts'
import { runGates } from '../gates/run.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { withGateBox } from './gate-box.ts'
import { withGitCredential } from './git-credential.ts'
import { equippedFor } from './inside.ts'
import { openSite } from './site.ts'
import type { Workshop } from './workshop.ts'

/**
 * Runs the gates on the main branch as a merge or people have left it, or as it is before a merge. What is red is held
 * against the commit before: a change on top of a red main branch has not broken it.
 */
export async function checkMain(
  own: Workshop,
  order: AnyOrder,
  context: OrderContext,
  merged: string | null,
): Promise<void> {
  if (!merged) throw new WorkFailed('There is no merge to check.', 'persistent')
  const { store } = await openSite(own, { ...order, base: null, work: null }, context)
  await withGitCredential(context, 'read', (access) => store.fetchCommit(access, merged))
  const shop = await equippedFor(own, order, context, { store, commit: merged })
  context.phase('checking the main branch')
  const plan = await planGates(store, merged).catch((error: Error) => error)
  if (plan instanceof GatesFileError)
    return context.report({ type: 'main_checked', state: 'red', findings: plan.message, gates: [] })
  if (plan instanceof Error) throw plan
  const { runs, isOlder } = await withGateBox(shop, order, context, async (room) => {
    const ran = await runGates(store, merged, plan, room)
    const isRed = ran.some(({ result }) => result === 'failed')
    const before = isRed && !context.cancelled.aborted ? await store.parentOf(merged) : null
    if (!before) return { runs: ran, isOlder: false }
    context.phase('checking the main branch before the merge')
    const onBefore = await shop.baseRuns.get(before, plan, () => runGates(store, before, plan, room))
    return { runs: ran, isOlder: isAllOlder(onBefore, ran) }
  })
  context.cancelled.throwIfAborted()
  const red = runs.filter(({ result }) => result === 'failed')
  context.report({
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
