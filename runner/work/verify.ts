import { guard } from '@signalbox/contract/guard/guard.ts'
import type { Gate } from '@signalbox/contract/run.ts'
import type { Order } from '@signalbox/contract/runner/messages.ts'
import { demonstrate } from '../acceptance/demonstrate.ts'
import { proveGreen } from '../acceptance/prove.ts'
import { placedFiles } from '../acceptance/spec.ts'
import { comparePlans, compareRuns } from '../gates/compare.ts'
import type { Room } from '../gates/execute.ts'
import type { GateRun } from '../gates/gate.ts'
import { planGates } from '../gates/plan.ts'
import { runGates } from '../gates/run.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { proofsOf } from './criteria.ts'
import { packEvidence } from './evidence.ts'
import { withGateBox } from './gate-box.ts'
import { gatesOf } from './gates-of.ts'
import { equippedFor } from './inside.ts'
import { reviewChange } from './second-review.ts'
import { openSite, type Site } from './site.ts'
import { pinnedSpec } from './spec.ts'
import type { Workshop } from './workshop.ts'

/** Measures a change: every gate on a clean checkout, beside how it was on the base, and the spec from its pinned copy. */
export async function verify(own: Workshop, order: Order, context: OrderContext): Promise<void> {
  if (!order.work) throw new WorkFailed('There is no change to verify.', 'persistent')
  const site = await openSite(own, order, context)
  const shop = await equippedFor(own, order, context, { store: site.store, commit: site.base })
  await withGateBox(shop, order, context, (room) => measure(shop, order, context, site, room))
}

async function measure(
  shop: Workshop,
  order: Order,
  context: OrderContext,
  site: Site,
  room: Room,
): Promise<void> {
  const { store, base, head } = site
  const plan = await gatesOf(store, base)
  const spec = await pinnedSpec(context, order.spec)
  context.phase('running the gates on the base')
  const onBase = await shop.baseRuns.get(
    base,
    plan,
    () => runGates(store, base, plan, room),
    shop.box.isolation.image,
  )
  context.phase('running the gates')
  const onHead = await runGates(store, head, plan, room)
  const green =
    spec && order.spec
      ? await proveGreen({ store, commit: head, folder: order.spec.folder, spec, plan, room })
      : null
  context.cancelled.throwIfAborted()
  const compared = compareRuns(onBase, onHead)
  const changedPlans = await planGates(store, head).then(
    (changed) => comparePlans(plan, changed),
    (error: Error) => [`The gates in the change cannot be read. ${error.message}`],
  )
  const gates = [
    ...(green ? [gateOf(green)] : []),
    ...(compared.gates.length > 0 ? compared.gates : [nothing]),
  ]
  const pinned = spec && order.spec ? placedFiles(order.spec.folder, spec) : null
  const seen = await guard(store, {
    ...{ base, head, deniedPaths: order.policy.deniedPaths, exceptions: order.exceptions },
    pinned: pinned ?? new Map(),
  })
  context.phase('demonstrating')
  const shown = await show(order, site, room)
  const hasFailed = gates.some(({ result }) => result === 'failed')
  const secondReview = hasFailed ? undefined : await reviewChange(shop, order, context, site, pinned)
  const evidence = {
    commit: head,
    criteria: proofsOf(order.story.acceptanceCriteria, green),
    changes: seen.change,
    demonstration: shown,
    ...(secondReview ? { secondReview } : {}),
  }
  const signed = await packEvidence(shop, order, context, {
    ...{ site, plan, gates, evidence },
    // A spec is pinned only after it was seen failing on the base.
    onBase: [...(green ? [{ ...green, result: 'failed' as const }] : []), ...onBase],
    onHead: [...(green ? [green] : []), ...onHead],
    findings: [...seen.findings.map(({ says }) => says), ...compared.findings, ...changedPlans],
  })
  context.report({ type: 'gates_ran', gates, evidence, ...signed })
}

const gateOf = ({ name, result, summary }: GateRun): Gate => ({ name, result, summary })

const nothing: Gate = {
  name: 'Gates',
  result: 'skipped',
  summary: 'No gate was found in this repository. Add .kanman/gates.yml to say how a change is checked.',
}

async function show({ story }: Order, { store, head }: Site, room: Room): Promise<string | null> {
  if (!story.demonstrate) return null
  const worktree = await store.checkout(head)
  try {
    return (await demonstrate(story.demonstrate, worktree.folder, room))?.text ?? null
  } finally {
    await worktree.release()
  }
}
