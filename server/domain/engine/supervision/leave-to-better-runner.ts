import { reviewerAmong } from '@signalbox/contract/reviewers.ts'
import { type AnyOrder, imageFeature, severalFeature } from '@signalbox/contract/runner/messages.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { capabilitiesOf } from '../orders/capabilities.ts'
import { type Claimant, type Means, type OfferedOrder, selectMakers } from '../orders/claim-store.ts'
import { hasAll, worksFor } from '../orders/workforce.ts'
import { selectWorkers, type Worker } from '../orders/workforce-store.ts'

/** How long an order lies there for a runner that suits it better. */
const patienceMs = 2 * 60_000

/** A runner that made a change does not check its merge while another could. */
export async function leavesCheckToAnother(
  { workspaceId }: Context,
  tx: Tx,
  { runnerId }: Claimant,
  order: OfferedOrder,
  now: Date,
): Promise<boolean> {
  if (isPatienceOver(order, now)) return false
  const makers = await selectMakers(tx, workspaceId, order.runId)
  if (!makers.includes(runnerId)) return false
  const others = await selectWorkers(tx, workspaceId, now)
  return others.some((other) => !makers.includes(other.id) && couldDo(other, order))
}

/** A runner without an agent that could review the change does not verify it while one with such an agent could. */
export async function leavesReviewToAnother(
  { workspaceId }: Context,
  tx: Tx,
  { capabilities }: Means,
  offered: OfferedOrder,
  order: AnyOrder,
  now: Date,
): Promise<boolean> {
  if (order.job !== 'stage' || order.stage !== 'verifying' || isPatienceOver(offered, now)) return false
  const { secondReview } = order.policy
  if (!secondReview || secondReview.by === 'off') return false
  const canReview = (kept: Means['capabilities']) => {
    const names = kept.filter(({ level }) => level === offered.isolation).map(({ executor }) => executor)
    return reviewerAmong(names, { author: order.executor, by: secondReview.by }) !== null
  }
  if (canReview(capabilities)) return false
  const others = await selectWorkers(tx, workspaceId, now)
  return others.some((other) => couldDo(other, offered) && canReview(capabilitiesOf(other)))
}

const isPatienceOver = ({ offeredAt }: OfferedOrder, now: Date) =>
  now.getTime() - offeredAt.getTime() > patienceMs

const couldDo = (other: Worker, order: OfferedOrder): boolean =>
  !other.rests &&
  (!order.needsImage || other.features.includes(imageFeature)) &&
  (!order.isInSeveral || other.features.includes(severalFeature)) &&
  worksFor(other, order.teamId) &&
  hasAll(other, order.labels) &&
  capabilitiesOf(other).some(
    ({ executor, level }) => executor === order.executor && level === order.isolation,
  )
