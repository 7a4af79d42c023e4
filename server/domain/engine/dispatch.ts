import { inEuro, microsPerCent } from '@signalbox/contract/money.ts'
import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { change, type Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { nextKey } from '../keys.ts'
import type { PolicyVersion } from '../policies/change.ts'
import { runCentsWithoutBudgets } from '../policies/presets.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import type { WorkPort } from '../ports/work.ts'
import { holdTeam } from '../teams/lock.ts'
import { advance } from './advance.ts'
import { type HeldRun, holdRun } from './hold.ts'
import { blank } from './machine.ts'
import {
  noteReason,
  type Obstacle,
  type ReadyStory,
  type Spending,
  selectNextReady,
  selectQueued,
  selectSpending,
} from './queue-store.ts'
import { insertRun } from './run-store.ts'

/**
 * Gives a team work while it has slots: first what has begun and waits for a slot, then Ready stories; expedite before
 * the others, and the oldest first. The team is held meanwhile, so that two nodes do not fill the same slot.
 */
export async function dispatchTeam(
  ctx: Context,
  teamId: string,
  work: Pick<WorkPort, 'serves'>,
): Promise<number> {
  let started = 0
  while (await startNext(ctx, teamId, work)) started += 1
  return started
}

interface Hand {
  teamId: string
  policy: PolicyVersion
  paused: boolean
  spending: Spending
  work: Pick<WorkPort, 'serves'>
}

/** Starts one run; false when nothing can be started now. */
async function startNext(ctx: Context, teamId: string, work: Pick<WorkPort, 'serves'>): Promise<boolean> {
  return change<boolean>(ctx, async (tx) => {
    const none = { value: false, audit: [] }
    const team = await holdTeam(tx, ctx.workspaceId, teamId)
    if (team?.policyVersion == null) return none
    const policy = await policySnapshot(tx, ctx.workspaceId, teamId, team.policyVersion)
    const now = ctx.clock.now()
    const queued = await selectQueued(tx, ctx.workspaceId, teamId, now)
    const ready = team.paused ? undefined : await selectNextReady(tx, ctx.workspaceId, teamId)
    if (queued.length === 0 && !ready) return none

    const spending = await selectSpending(tx, ctx.workspaceId, teamId, now)
    const { working } = spending
    if (working >= policy.maxConcurrency) {
      const reason = `Waiting for a free slot: ${working} of ${policy.maxConcurrency} in use.`
      const ids = queued.map((run) => run.id)
      await noteReason(tx, ctx.workspaceId, ids, { reason }, now)
      return none
    }
    const hand: Hand = { teamId, policy, paused: team.paused, spending, work }
    for (const { id } of queued) {
      const audit = await startQueued(ctx, tx, id, hand)
      if (audit) return { value: true, audit }
    }
    if (!ready) return none
    const audit = await startReady(ctx, tx, ready, team, hand)
    return audit ? { value: true, audit } : none
  })
}

const unserved = ({ work }: Hand, executor: PolicyVersion['executor']): Obstacle | null =>
  work.serves(executor)
    ? null
    : { reason: `Waiting for a runner: none that is connected can use ${executor}.`, stuck: true }

async function startQueued(ctx: Context, tx: Tx, id: string, hand: Hand): Promise<Entry[] | null> {
  const run = await holdRun(tx, ctx.workspaceId, { id })
  if (run.state.phase !== 'queued') return null
  const now = ctx.clock.now()
  if (hand.paused && run.state.memory.fresh) {
    await noteReason(tx, ctx.workspaceId, [id], { reason: 'The team is paused.' }, now)
    return null
  }
  const left = run.state.budgetCents * microsPerCent - run.state.costMicros
  if (left <= 0) return (await advance(ctx, tx, run, { type: 'budget_reached' }))!.entries
  // Under its own policy, which may be older than the team's.
  const obstacle = unserved(hand, run.policy.executor) ?? unaffordable(hand, left)
  if (obstacle) {
    await noteReason(tx, ctx.workspaceId, [id], obstacle, now)
    return null
  }
  return start(ctx, tx, run)
}

const start = async (ctx: Context, tx: Tx, run: HeldRun): Promise<Entry[]> =>
  (await advance(ctx, tx, run, { type: 'started' }))!.entries

async function startReady(
  ctx: Context,
  tx: Tx,
  story: ReadyStory,
  team: { slug: string },
  hand: Hand,
): Promise<Entry[] | null> {
  const at = ctx.clock.now()
  const { policy } = hand
  const budgetCents = runBudget(policy)
  // Nothing may be spent, so nothing can be done.
  if (budgetCents === 0) return null
  if (unserved(hand, policy.executor) ?? unaffordable(hand, budgetCents * microsPerCent)) return null
  const run = { id: newId(at), key: await nextKey(tx, ctx.workspaceId, 'run') }
  await insertRun(tx, ctx.workspaceId, {
    ...run,
    teamId: hand.teamId,
    storyId: story.id,
    budgetCents,
    executor: policy.executor,
    policyVersion: policy.version,
    memory: blank,
    at,
  })
  const created: Entry = {
    event: 'run_started',
    team: team.slug,
    runKey: run.key,
    entity: { type: 'run', id: run.key, name: story.title },
    details: { story: story.key, budgetCents, policyVersion: policy.version, executor: policy.executor },
  }
  return [created, ...(await start(ctx, tx, await holdRun(tx, ctx.workspaceId, { id: run.id })))]
}

/** A run's budget is never more than its team may spend in a day or a month. */
function runBudget({ budgets }: PolicyVersion): number {
  const caps = [budgets.runCents, budgets.dayCents, budgets.monthCents].filter((cents) => cents !== null)
  return caps.length > 0 ? Math.min(...caps) : runCentsWithoutBudgets
}

/**
 * Reserves before spending: what runs now may still spend what is left of its budgets, so a run starts only if its
 * own remainder fits into the day and the month besides.
 */
function unaffordable({ policy, spending }: Hand, micros: number): Obstacle | null {
  const short = (cap: number | null, spent: number, of: string): Obstacle | null => {
    if (cap === null || spent + spending.reservedMicros + micros <= cap * microsPerCent) return null
    // Waiting helps only whoever fits into a whole day or month.
    if (micros > cap * microsPerCent)
      return {
        reason: `Needs ${inEuro(micros / microsPerCent)}, but the policy allows ${inEuro(cap)} per ${of}.`,
        stuck: true,
      }
    return { reason: `Waiting for budget: not enough is left of the ${inEuro(cap)} for this ${of}.` }
  }
  const { dayCents, monthCents } = policy.budgets
  return short(monthCents, spending.monthMicros, 'month') ?? short(dayCents, spending.dayMicros, 'day')
}
