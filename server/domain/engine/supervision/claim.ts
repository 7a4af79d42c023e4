import {
  type AnyOrder,
  imageFeature,
  type RunnerGit,
  severalFeature,
} from '@signalbox/contract/runner/messages.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import { orderedInside } from '../../work/repositories/ordered-inside.ts'
import type { Rates } from '../orders/bill.ts'
import { canReadRepository } from '../orders/can-read-repository.ts'
import { capabilitiesOf } from '../orders/capabilities.ts'
import {
  type Claimant,
  clearAsk,
  type JobRef,
  lockClaimant,
  lockNextOrder,
  type Means,
  markClaimed,
  type OfferedOrder,
  renewLeases,
  selectAsked,
  selectGit,
  selectMakers,
} from '../orders/claim-store.ts'
import { budgetOf, composeOrder, orderedPolicy } from '../orders/compose-order.ts'
import { selectOrder, selectSpentOf } from '../orders/order-store.ts'
import { leaseFrom } from '../orders/orders.ts'
import { hasAll, worksFor } from '../orders/workforce.ts'
import { selectWorkers } from '../orders/workforce-store.ts'
import { composeSurvey } from '../surveys/compose-survey.ts'
import { withdrawOrder } from './withdraw-order.ts'

/** How many orders that no one can do are withdrawn before the runner is told that there are none. */
const mostWithdrawn = 100

/**
 * Gives a runner the next order that it can do, if it has a slot free; null: there is none. A runner that asks again
 * under the same name gets the same order again, so a lost answer does no harm. An order that no one can do any more
 * blocks nothing: it is withdrawn, and the next is looked at.
 */
export async function claimOrder(
  ctx: Context,
  runner: Claimant & Means,
  ask: string,
  rates: Rates,
): Promise<AnyOrder | null> {
  for (let withdrawn = 0; withdrawn < mostWithdrawn; withdrawn += 1) {
    const found = await takeNext(ctx, runner, ask, rates)
    if (!found || !('impossible' in found)) return found
    await withdrawOrder(ctx, found.impossible)
  }
  return null
}

/** That an order was taken moves no run: what comes of it has entries of its own. */
async function takeNext(
  ctx: Context,
  runner: Claimant & Means,
  ask: string,
  rates: Rates,
): Promise<AnyOrder | { impossible: JobRef } | null> {
  const { workspaceId } = ctx
  return housekeeping(ctx.db, 'a runner takes an order', async (tx) => {
    const held = await lockClaimant(tx, workspaceId, runner)
    if (held === undefined) return null
    const at = ctx.clock.now()
    const leaseUntil = leaseFrom(at)
    const asked = await selectAsked(tx, workspaceId, ask)
    if (asked?.state === 'taken') {
      if (asked.runnerId !== runner.runnerId)
        throw new DomainError('conflict', 'Another runner has asked under this name. Make a new one.')
      const order = await render(ctx, tx, asked, rates)
      if (!order) return { impossible: asked }
      if (!canDo(runner, order)) return null
      await renewLeases(tx, workspaceId, runner.runnerId, [order], {
        session: runner.session,
        until: leaseUntil,
      })
      return order
    }
    if (asked) await clearAsk(tx, workspaceId, ask)
    if (held >= runner.slots) return null
    const { git = null } = (await selectGit(tx, workspaceId, runner.runnerId)) ?? {}
    const left: string[] = []
    for (;;) {
      const next = await nextFor(ctx, tx, runner, at, left)
      if (!next) return null
      const order = await render(ctx, tx, next, rates)
      if (!order) return { impossible: next }
      if (!canDo(runner, order)) return null
      if (canRead(git, order)) {
        await markClaimed(tx, workspaceId, next, { ...runner, ask, at, leaseUntil })
        return order
      }
      left.push(next.runId)
    }
  })
}

/** The last word, after what the statement has chosen: a team's settings may have changed in between. */
const canDo = ({ features }: Means, { inside }: AnyOrder) => !inside || features.includes(imageFeature)

/** What a runner is sure to fail at is left for one that can. */
const canRead = (git: RunnerGit | null, order: AnyOrder) =>
  [order.repository, ...(('others' in order && order.others) || [])].every(
    ({ address }) => canReadRepository(git, address) !== false,
  )

/** How long a look at the main branch lies there for a runner that did not make the change. */
const patienceMs = 2 * 60_000

/** The next order for a runner. A runner that made a change does not check its merge while another could. */
async function nextFor(ctx: Context, tx: Tx, runner: Claimant & Means, now: Date, left: string[]) {
  for (;;) {
    const next = await lockNextOrder(tx, ctx.workspaceId, runner, { now, left })
    if (next?.job !== 'main_check' || !(await isForAnother(ctx, tx, runner, next, now))) return next
    left.push(next.runId)
  }
}

async function isForAnother(
  { workspaceId }: Context,
  tx: Tx,
  { runnerId }: Claimant,
  order: OfferedOrder,
  now: Date,
): Promise<boolean> {
  if (now.getTime() - order.offeredAt.getTime() > patienceMs) return false
  const makers = await selectMakers(tx, workspaceId, order.runId)
  if (!makers.includes(runnerId)) return false
  const others = await selectWorkers(tx, workspaceId, now)
  return others.some(
    (other) =>
      !makers.includes(other.id) &&
      !other.rests &&
      (!order.needsImage || other.features.includes(imageFeature)) &&
      (!order.isInSeveral || other.features.includes(severalFeature)) &&
      worksFor(other, order.teamId) &&
      hasAll(other, order.labels) &&
      capabilitiesOf(other).some(
        ({ executor, level }) => executor === order.executor && level === order.isolation,
      ),
  )
}

/** Null: the team has no repository any more. */
async function render(
  ctx: Context,
  tx: Tx,
  { runId, fence, job }: JobRef,
  rates: Rates,
): Promise<AnyOrder | null> {
  if (job === 'survey') return composeSurvey(ctx, tx, { runId, fence }, rates)
  const row = (await selectOrder(tx, ctx.workspaceId, runId))!
  const composed = await composeOrder(ctx, tx, runId, row)
  const { workspaceId, runId: _, reservedCents, policy, others = [], ...order } = composed
  const all = await teamRepositories(tx, ctx.workspaceId, row.teamId)
  const { at = null } = row.memory
  const repository = at === null ? all[0] : all.find((one) => one.name === at)
  const beside = others.map((other) => {
    const found = all.find((one) => one.name === other.name)
    return found && { ...other, address: found.address, branch: found.branch }
  })
  if (!repository || beside.includes(undefined)) return null
  const { name, address, branch } = repository
  return {
    ...order,
    ...(others.length > 0 ? { others: beside.filter((other) => other !== undefined) } : {}),
    fence,
    policy: orderedPolicy(policy),
    repository: { name, address, branch },
    ...orderedInside(repository),
    budget: budgetOf(row, rates),
    spent: await selectSpentOf(tx, ctx.workspaceId, runId, order.attempt),
  }
}
