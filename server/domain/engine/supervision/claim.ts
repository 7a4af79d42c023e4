import { type AnyOrder, imageFeature, type RunnerGit } from '@signalbox/contract/runner/messages.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import { orderedInside } from '../../work/repositories/ordered-inside.ts'
import { traceOfOrder } from '../machine/trace.ts'
import type { Rates } from '../orders/bill.ts'
import { canReadRepository } from '../orders/can-read-repository.ts'
import {
  type Claimant,
  clearAsk,
  type JobRef,
  lockClaimant,
  lockNextOrder,
  type Means,
  markClaimed,
  renewLeases,
  selectAsked,
  selectGit,
} from '../orders/claim-store.ts'
import { budgetOf, composeOrder, orderedPolicy } from '../orders/compose-order.ts'
import { selectOrder, selectSpentOf } from '../orders/order-store.ts'
import { leaseFrom } from '../orders/orders.ts'
import { composeSurvey } from '../surveys/compose-survey.ts'
import { leavesCheckToAnother, leavesReviewToAnother } from './leave-to-better-runner.ts'
import { withdrawOrder } from './withdraw-order.ts'

/** How many orders that no one can do are withdrawn before the runner is told that there are none. */
const mostWithdrawn = 100

/** What a runner was given. */
interface Claim {
  /** Null: nothing. */
  order: AnyOrder | null
  /** Then no other runner of its kind would be given anything either: it was not for a reason of its own. */
  isNoneForKind: boolean
}

/**
 * What of a runner decides, apart from what it has and has done, which orders are for it: runners that are alike in it
 * are of one kind.
 */
export const kindOf = (
  runner: Means & { git: RunnerGit | null; teamIds: string[]; tokenId: string },
): string =>
  JSON.stringify([
    runner.capabilities,
    runner.labels,
    runner.features,
    runner.git,
    runner.teamIds,
    runner.tokenId,
  ])

interface Asking {
  ask: string
  /** Otherwise others come first, and it gets only what it was given under this name before. */
  isItsTurn: boolean
}

/**
 * Gives a runner the next order that it can do, if it has a slot free. A runner that asks again
 * under the same name gets the same order again, so a lost answer does no harm. An order that no one can do any more
 * blocks nothing: it is withdrawn, and the next is looked at.
 */
export async function claimOrder(
  ctx: Context,
  runner: Claimant & Means,
  asking: Asking,
  rates: Rates,
): Promise<Claim> {
  for (let withdrawn = 0; withdrawn < mostWithdrawn; withdrawn += 1) {
    const found = await takeNext(ctx, runner, asking, rates)
    if (!('impossible' in found)) return found
    await withdrawOrder(ctx, found.impossible)
  }
  return itsOwn
}

const itsOwn: Claim = { order: null, isNoneForKind: false }
const given = (order: AnyOrder): Claim => ({ order, isNoneForKind: false })

/** That an order was taken moves no run: what comes of it has entries of its own. */
async function takeNext(
  ctx: Context,
  runner: Claimant & Means,
  { ask, isItsTurn }: Asking,
  rates: Rates,
): Promise<Claim | { impossible: JobRef }> {
  const { workspaceId } = ctx
  return housekeeping(ctx.db, 'a runner takes an order', async (tx) => {
    const held = await lockClaimant(tx, workspaceId, runner)
    if (held === undefined) return itsOwn
    const at = ctx.clock.now()
    const leaseUntil = leaseFrom(at)
    const asked = await selectAsked(tx, workspaceId, ask)
    if (asked?.state === 'taken') {
      if (asked.runnerId !== runner.runnerId)
        throw new DomainError('conflict', 'Another runner has already asked with this id. Use a new one.')
      const order = await render(ctx, tx, asked, rates)
      if (!order) return { impossible: asked }
      if (!canDo(runner, order)) return itsOwn
      await renewLeases(tx, workspaceId, runner.runnerId, [order], {
        session: runner.session,
        until: leaseUntil,
      })
      return given(order)
    }
    if (asked) await clearAsk(tx, workspaceId, ask)
    if (!isItsTurn || held >= runner.slots) return itsOwn
    const { git = null } = (await selectGit(tx, workspaceId, runner.runnerId)) ?? {}
    const left: string[] = []
    let isNoneForKind = true
    for (;;) {
      const next = await lockNextOrder(tx, workspaceId, runner, { now: at, left })
      if (!next) return { order: null, isNoneForKind }
      left.push(next.runId)
      if (next.job === 'main_check' && (await leavesCheckToAnother(ctx, tx, runner, next, at))) {
        isNoneForKind = false
        continue
      }
      const order = await render(ctx, tx, next, rates)
      if (!order) return { impossible: next }
      if (!canDo(runner, order)) return { order: null, isNoneForKind }
      if (!canRead(git, order)) continue
      if (await leavesReviewToAnother(ctx, tx, runner, next, order, at)) {
        isNoneForKind = false
        continue
      }
      await markClaimed(tx, workspaceId, next, { ...runner, ask, at, leaseUntil })
      return given(order)
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
    ...traceOfOrder(row.traceparent, fence),
  }
}
