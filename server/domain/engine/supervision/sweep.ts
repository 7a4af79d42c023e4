import { asService, type Context } from '../../context.ts'
import type { WorkPort } from '../../ports/work.ts'
import { change, housekeeping } from '../../record/audit/change.ts'
import { forgetKeys } from '../../record/idempotency/forget.ts'
import { dueEffects } from '../../record/outbox/due.ts'
import { orphanedParkings, tryFirstParked } from '../../record/outbox/park.ts'
import { type Performers, performEffect } from '../../record/outbox/perform.ts'
import { advance, remind } from '../lifecycle/advance.ts'
import { expireDecision, expiredDecisions } from '../lifecycle/expire.ts'
import { lockRun } from '../machine/lock.ts'
import type { RunEvent } from '../machine/machine.ts'
import { type OpenOrder, selectOpenOrder } from '../orders/order-store.ts'
import { leaseSeconds, localLeaseHours, offerSeconds, reconnectSeconds } from '../orders/orders.ts'
import {
  markStuckOfAllWorkspaces,
  noteSweepOfAllWorkspaces,
  selectOverdueOfAllWorkspaces,
  selectTeamsWithWorkOfAllWorkspaces,
  updateReason,
} from '../orders/queue-store.ts'
import { dueSurveys } from '../surveys/due-surveys.ts'
import { endSurvey } from '../surveys/end-survey.ts'
import { giveUpSurvey } from '../surveys/give-up-survey.ts'
import { startDueSurvey } from '../surveys/start-survey.ts'
import { lockSurvey } from '../surveys/survey-store.ts'
import { dispatchTeam } from './dispatch.ts'

/** The longest a single work order may take, however lively it is, where the operator has said nothing else. */
const orderHoursByDefault = 4
/** How many orders of the longest kind a stage may take in one attempt, together. */
const ordersPerStage = 3
const hourMs = 3_600_000
/** Sweeps are a minute apart; without one for this long, no node was there. */
const awaySeconds = 180
/** How many of each are looked at in one pass; the next pass takes the rest. */
const most = 500
/** How many calls to the outside are under way at once, and for how long more are begun: the next pass is near. */
const effectsAtOnce = 8
const longestPerformingMs = 45_000

export interface Swept {
  expired: number
  lost: number
  performed: number
  dispatched: number
  surveyed: number
  stuck: number
}

/**
 * Finds everything that should be moving and is not: decisions whose time is over, work orders no one reports on,
 * things to be done outside, teams with work and a free slot. Each is found by what its row says, so a wake-up that
 * was lost costs a minute and nothing else.
 */
export async function sweep(
  base: Pick<Context, 'db' | 'clock' | 'queue' | 'tracing'>,
  ports: { work: Pick<WorkPort, 'serves'>; performers: Performers; orderHours?: number },
  onError: (error: Error) => void,
): Promise<Swept> {
  const now = base.clock.now()
  /** One that fails does not keep the others waiting. */
  const each = async <T extends { workspaceId: string }>(
    found: readonly T[],
    look: (ctx: Context, one: T) => Promise<unknown>,
  ): Promise<number> => {
    let done = 0
    for (const one of found) {
      try {
        await look(asService(base, one.workspaceId), one)
        done += 1
      } catch (error) {
        onError(error as Error)
      }
    }
    return done
  }

  const expired = await each(await expiredDecisions(base.db, now, most), (ctx, { key }) =>
    expireDecision(ctx, key),
  )
  // While no node was up, workers could not report: they get one more lease to do so.
  const spare = { awaySeconds, spareSeconds: leaseSeconds }
  const sparesUntil = await housekeeping(base.db, 'note the sweep', (tx) =>
    noteSweepOfAllWorkspaces(tx, now, spare),
  )
  const hours = ports.orderHours ?? orderHoursByDefault
  const longAgo = new Date(now.getTime() - hours * hourMs)
  const given: Given = { hours, longAgo, spared: now < sparesUntil }
  const late = { longAgo, stageSeconds: (hours * ordersPerStage * hourMs) / 1000 }
  const lost = await each(
    await selectOverdueOfAllWorkspaces(base.db, now, late, most),
    (ctx, { id, isSurvey }) => (isSurvey ? checkSurvey : checkOrder)(ctx, id, given),
  )
  // What needs no call to the outside comes first, so that a slow tool keeps no team waiting.
  const dispatched = await each(await selectTeamsWithWorkOfAllWorkspaces(base.db, now, most), (ctx, { id }) =>
    dispatchTeam(ctx, id, ports.work),
  )
  const surveyed = await each(await dueSurveys(base), (ctx, { id }) => startDueSurvey(ctx, id))
  const stuck = await housekeeping(base.db, 'mark stuck runs', (tx) => markStuckOfAllWorkspaces(tx, now))
  await forgetKeys(base)
  await each(await orphanedParkings(base.db, most), (ctx, { refusal }) =>
    housekeeping(ctx.db, 'have the first tried that waits for a refusal', (tx) =>
      tryFirstParked(ctx, tx, refusal, now),
    ),
  )
  const performed = await performDue(await dueEffects(base.db, now, most), (one) =>
    each([one], (ctx, { id }) => performEffect(ctx, id, ports.performers)),
  )
  return { expired, lost, performed, dispatched, surveyed, stuck }
}

/** Several in parallel, since each waits for another system; what is not begun in time is left to the next pass. */
async function performDue<T>(due: readonly T[], perform: (one: T) => Promise<number>): Promise<number> {
  const begun = performance.now()
  const waiting = due.values()
  let performed = 0
  const performer = async () => {
    for (const one of waiting) {
      const done = await perform(one)
      performed += done
      if (performance.now() - begun > longestPerformingMs) return
    }
  }
  await Promise.all(Array.from({ length: effectsAtOnce }, performer))
  return performed
}

/** The state of the order of a survey. */
async function checkSurvey(ctx: Context, runId: string, given: Given): Promise<void> {
  await change(ctx, async (tx) => {
    const nothing = { value: undefined, audit: [] }
    const survey = await lockSurvey(tx, ctx.workspaceId, runId)
    if (survey?.phase !== 'working') return nothing
    const now = ctx.clock.now()
    const order = await selectOpenOrder(tx, ctx.workspaceId, survey.id, now)
    const fate = order ? fateOf(order, now, given) : 'lease_lost'
    if (fate === null) return nothing
    if (fate === 'lease_lost') return { value: undefined, audit: await giveUpSurvey(ctx, tx, survey, fate) }
    const error = fate === 'no_runner' ? 'No runner took it within a day.' : whyOverran(order!, given)
    const end = { status: 'failed', failureClass: 'transient', error } as const
    return { value: undefined, audit: await endSurvey(ctx, tx, survey, end) }
  })
}

/**
 * An order without a sign of life is lost, however long ago its lease ended: there may have been no sweep all night.
 * One that is alive but has used up its time is over.
 */
async function checkOrder(ctx: Context, runId: string, given: Given): Promise<void> {
  await change(ctx, async (tx) => {
    const run = await lockRun(tx, ctx.workspaceId, { id: runId })
    const nothing = { value: undefined, audit: [] }
    if (run.state.phase !== 'working') {
      await remind(ctx, tx, run)
      return nothing
    }
    // It may have reported while we were coming.
    const now = ctx.clock.now()
    const order = await selectOpenOrder(tx, ctx.workspaceId, run.id, now)
    const type = order ? fateOf(order, now, given) : 'lease_lost'
    if (type === null) return nothing
    const advanced = await advance(ctx, tx, run, eventOf(type, order, given))
    if (type === 'no_runner')
      await updateReason(
        tx,
        ctx.workspaceId,
        run.id,
        `No runner took it within ${offerSeconds / 60} minutes.`,
        now,
      )
    return { value: undefined, audit: advanced?.entries ?? [] }
  })
}

const eventOf = (type: OrderFate, order: OpenOrder | undefined, given: Given): RunEvent =>
  type === 'abandoned'
    ? { type, hours: localLeaseHours }
    : type === 'overran'
      ? { type, why: whyOverran(order!, given) }
      : { type }

/** Whichever limit it was; a person can retry the run. */
const whyOverran = ({ takenAt, offeredAt }: OpenOrder, { hours, longAgo }: Given): string =>
  (takenAt ?? offeredAt) <= longAgo
    ? `A work order can take at most ${hours} hours.`
    : `A stage can take at most ${hours * ordersPerStage} hours in one attempt.`

interface Given {
  hours: number
  longAgo: Date
  /** There was no sweep for a while, so workers could not say that they are there. */
  spared: boolean
}

/** What is wrong with an order; null: it is well, or may still be. */
function fateOf(order: OpenOrder, now: Date, { hours, longAgo, spared }: Given): OrderFate | null {
  const { state, offeredAt, offeredUntil, takenAt, leaseUntil, mayReturn, isLocal, stageMs } = order
  // A person has a day to report; a little longer does no harm if they could not reach the server.
  if (isLocal) return leaseUntil <= now && !spared ? 'abandoned' : null
  if (offeredUntil === null) return leaseUntil <= now ? 'lease_lost' : offeredAt <= longAgo ? 'overran' : null
  if (state === 'offered') return offeredUntil <= now && !spared ? 'no_runner' : null
  const graceMs = mayReturn ? reconnectSeconds * 1000 : 0
  if (leaseUntil.getTime() + graceMs <= now.getTime() && !spared) return 'lease_lost'
  return takenAt! <= longAgo || stageMs >= hours * ordersPerStage * hourMs ? 'overran' : null
}

type OrderFate = 'lease_lost' | 'overran' | 'no_runner' | 'abandoned'
