import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Tx } from '../../infra/db/db.ts'
import { newId } from '../../infra/ids.ts'
import { change, type Entry } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { nextKey } from '../keys.ts'
import type { PolicyVersion } from '../policies/change.ts'
import { policySnapshot } from '../policies/snapshot.ts'
import type { WorkPort } from '../ports/work.ts'
import { holdTeam } from '../teams/lock.ts'
import { advance } from './advance.ts'
import { type HeldRun, holdRun } from './hold.ts'
import { blank } from './machine.ts'
import { obstaclesTo, occupied, pausedTeam, runBudget, type Standing, unaffordable } from './obstacles.ts'
import { noteReason, type ReadyStory, selectNextReady, selectQueued, selectSpending } from './queue-store.ts'
import { insertRun } from './run-store.ts'
import { noRepository, readWorkforce, unserved, type Workforce } from './workforce.ts'

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

interface Hand extends Standing {
  team: { id: string; slug: string }
  policy: PolicyVersion
  /** Under an older policy a run may want another agent. */
  workforceFor: (executor: PolicyVersion['executor']) => Promise<Workforce>
}

/** Starts one run; false when nothing can be started now. */
async function startNext(ctx: Context, teamId: string, work: Pick<WorkPort, 'serves'>): Promise<boolean> {
  return change<boolean>(ctx, async (tx) => {
    const none = { value: false, audit: [] }
    const team = await holdTeam(tx, ctx.workspaceId, teamId)
    // Without a policy nothing has begun and nothing can be taken up.
    if (team?.policyVersion == null) return none
    const policy = await policySnapshot(tx, ctx.workspaceId, teamId, team.policyVersion)
    const now = ctx.clock.now()
    const spending = await selectSpending(tx, ctx.workspaceId, teamId, now)
    const workforceFor = (executor: PolicyVersion['executor']) =>
      readWorkforce(tx, ctx.workspaceId, teamId, now, { work, executor })
    const hand: Hand = {
      team: { id: teamId, slug: team.slug },
      policy,
      paused: team.paused,
      spending,
      workforce: await workforceFor(policy.executor),
      workforceFor,
    }
    const queued = await selectQueued(tx, ctx.workspaceId, teamId, now)
    const full = occupied(hand, policy)
    if (full) {
      const ids = queued.map((run) => run.id)
      await noteReason(tx, ctx.workspaceId, ids, full, now)
      return none
    }
    for (const { id } of queued) {
      const audit = await startQueued(ctx, tx, id, hand)
      if (audit) return { value: true, audit }
    }
    if (obstaclesTo(hand).length > 0) return none
    const ready = await selectNextReady(tx, ctx.workspaceId, teamId)
    return ready ? { value: true, audit: await startReady(ctx, tx, ready, hand) } : none
  })
}

async function startQueued(ctx: Context, tx: Tx, id: string, hand: Hand): Promise<Entry[] | null> {
  const run = await holdRun(tx, ctx.workspaceId, { id })
  if (run.state.phase !== 'queued') return null
  const now = ctx.clock.now()
  if (hand.paused && run.state.memory.fresh) {
    await noteReason(tx, ctx.workspaceId, [id], pausedTeam, now)
    return null
  }
  const { checksMain } = run.state.memory
  const left = run.state.budgetCents * microsPerCent - run.state.costMicros
  if (left <= 0 && !checksMain) return (await advance(ctx, tx, run, { type: 'budget_reached' }))!.entries
  // Under its own policy, which may be older than the team's.
  const workforce = await hand.workforceFor(run.policy.executor)
  const obstacle =
    // Whoever works in this process has no repository to find a person's branch in.
    (run.state.memory.pushed && workforce.runners === null ? noRepository : null) ??
    unserved(workforce, run.policy) ??
    (checksMain ? null : unaffordable(hand, hand.policy, left))
  if (obstacle) {
    await noteReason(tx, ctx.workspaceId, [id], obstacle, now)
    return null
  }
  return start(ctx, tx, run)
}

const start = async (ctx: Context, tx: Tx, run: HeldRun): Promise<Entry[]> =>
  (await advance(ctx, tx, run, { type: 'started' }))!.entries

async function startReady(ctx: Context, tx: Tx, story: ReadyStory, { team, policy }: Hand): Promise<Entry[]> {
  const at = ctx.clock.now()
  const budgetCents = runBudget(policy)
  const run = { id: newId(at), key: await nextKey(tx, ctx.workspaceId, 'run') }
  await insertRun(tx, ctx.workspaceId, {
    ...run,
    teamId: team.id,
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
