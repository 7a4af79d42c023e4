import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { nextKey } from '../../keys.ts'
import type { WorkPort } from '../../ports/work.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { advance } from '../lifecycle/advance.ts'
import { type LockedRun, lockRun } from '../machine/lock.ts'
import { blank } from '../machine/machine.ts'
import { initialParts } from '../machine/parts.ts'
import { agentsFor } from '../machine/race.ts'
import { insertRun } from '../machine/run-store.ts'
import { newTrace } from '../machine/trace.ts'
import {
  obstaclesTo,
  occupied,
  pausedTeam,
  runBudget,
  type Standing,
  unaffordable,
} from '../orders/obstacles.ts'
import {
  noteReason,
  type QueuedRun,
  type ReadyStory,
  selectLastRun,
  selectNextReady,
  selectQueued,
  selectSpending,
} from '../orders/queue-store.ts'
import { noRepository, readWorkforce, unserved, type Workforce } from '../orders/workforce.ts'
import { type Capacity, hasFreedSlot, selectCapacity } from '../orders/workforce-store.ts'

interface Hand extends Standing {
  team: { id: string; slug: string }
  policy: PolicyVersion
  /** Under an older policy a run may want another agent. */
  workforceFor: (executor: PolicyVersion['executor']) => Promise<Workforce>
}

/**
 * Starts one run of a team: first what has begun and waits for a slot, then Ready stories; expedite before the others,
 * and the oldest first. False when nothing can be started now. The team is locked for it, so that two nodes do not fill
 * the same slot. `mayStart: false` only notes for what its runs wait; with `lastRun` nothing is started if the team has
 * begun another run since, because it has had its turn, and with `unlessGrown` if runners have had a slot free since.
 */
export async function startNext(
  ctx: Context,
  teamId: string,
  work: Pick<WorkPort, 'serves'>,
  {
    mayStart = true,
    lastRun,
    unlessGrown,
  }: { mayStart?: boolean; lastRun?: string | null; unlessGrown?: Capacity } = {},
): Promise<boolean> {
  return change<boolean>(ctx, async (tx) => {
    const none = { value: false, audit: [] }
    const team = await lockTeamById(tx, ctx.workspaceId, teamId)
    // Without a policy nothing has begun and nothing can be started.
    if (team?.policyVersion == null) return none
    if (lastRun !== undefined && (await selectLastRun(tx, ctx.workspaceId, teamId)) !== lastRun) return none
    const policy = await policySnapshot(tx, ctx.workspaceId, teamId, team.policyVersion)
    const now = ctx.clock.now()
    const workforces = new Map<string, Promise<Workforce>>()
    const workforceFor = (executor: PolicyVersion['executor']) => {
      const known =
        workforces.get(executor) ?? readWorkforce(tx, ctx.workspaceId, teamId, now, { work, executor })
      workforces.set(executor, known)
      return known
    }
    const [spending, queued, workforce] = await Promise.all([
      selectSpending(tx, ctx.workspaceId, teamId, now),
      selectQueued(tx, ctx.workspaceId, teamId, now),
      workforceFor(policy.executor),
    ])
    // After the workforce was read: whatever it counts on was free before, too.
    if (unlessGrown && hasFreedSlot(unlessGrown, await selectCapacity(tx, ctx.workspaceId, now))) return none
    const hand: Hand = {
      team: { id: teamId, slug: team.slug },
      ...{ policy, paused: team.paused, spending, workforce, workforceFor },
    }
    const full = occupied(hand, policy)
    if (full) {
      const ids = queued.map(({ id }) => id)
      await noteReason(tx, ctx.workspaceId, ids, full, now)
      return none
    }
    const audit = await startFirst(ctx, tx, queued, hand, mayStart)
    if (audit) return { value: true, audit }
    if (!mayStart || obstaclesTo(hand).length > 0) return none
    const isInSeveral = workforce.repositories.length > 1
    const onlyOne = isInSeveral && unserved(workforce, { ...policy, isInSeveral }) !== null
    const ready = await selectNextReady(tx, ctx.workspaceId, teamId, { onlyOne })
    return ready ? { value: true, audit: await startReady(ctx, tx, ready, hand) } : none
  })
}

/**
 * Starts the first that can be. They are looked at together, and only what seems to have nothing in its way is held: a
 * queue in which everybody waits for the same thing costs as much as one run in it.
 */
async function startFirst(
  ctx: Context,
  tx: Tx,
  queued: readonly QueuedRun[],
  hand: Hand,
  mayStart: boolean,
): Promise<Entry[] | null> {
  const waiting: { id: string; obstacle: Obstacle }[] = []
  let started: Entry[] | null = null
  for (const { id, policyVersion, memory, ...run } of queued) {
    const version = policyVersion ?? hand.policy.version
    const policy = await policySnapshot(tx, ctx.workspaceId, hand.team.id, version)
    const queuedRun = { ...run, policy, memory: { ...blank, ...memory } }
    const obstacle = await obstacleOf(queuedRun, hand)
    if (obstacle && isGivenUp(ctx, queuedRun, obstacle)) started = await goOnWithout(ctx, tx, id, obstacle)
    if (started) break
    if (obstacle) waiting.push({ id, obstacle })
    else if (mayStart) started = await startQueued(ctx, tx, id, hand)
    if (started) break
  }
  for (const alike of Map.groupBy(waiting, ({ obstacle }) => obstacle.reason).values())
    await noteReason(
      tx,
      ctx.workspaceId,
      alike.map(({ id }) => id),
      alike[0]!.obstacle,
      ctx.clock.now(),
    )
  return started
}

/** How long an agent that no runner has is waited for in a race. */
const missingMs = 10 * 60_000

/** Whether the agent whose turn it is in a race is missing for so long that the race goes on without it. */
const isGivenUp = (ctx: Context, { memory, stuckSince }: Queued, { by }: Obstacle): boolean =>
  memory.race !== null &&
  ['agent', 'runner', 'repository'].includes(by) &&
  stuckSince !== null &&
  stuckSince.getTime() + missingMs <= ctx.clock.now().getTime()

/** Null: it is no agent's turn, or it has moved on. */
async function goOnWithout(ctx: Context, tx: Tx, id: string, { reason }: Obstacle): Promise<Entry[] | null> {
  const run = await lockRun(tx, ctx.workspaceId, { id })
  return (await advance(ctx, tx, run, { type: 'agent_missing', reason }))?.entries ?? null
}

async function startQueued(ctx: Context, tx: Tx, id: string, hand: Hand): Promise<Entry[] | null> {
  const run = await lockRun(tx, ctx.workspaceId, { id })
  if (run.state.phase !== 'queued') return null
  const queued = { ...run.state, policy: run.policy, stuckSince: null }
  const obstacle = await obstacleOf(queued, hand)
  if (obstacle) {
    await noteReason(tx, ctx.workspaceId, [id], obstacle, ctx.clock.now())
    return null
  }
  if (isSpent(queued)) return (await advance(ctx, tx, run, { type: 'budget_reached' }))!.entries
  return start(ctx, tx, run, isFree(queued) ? (await workersFor(queued, hand)).agent : undefined)
}

interface Queued extends Pick<QueuedRun, 'budgetCents' | 'costMicros' | 'stage' | 'stuckSince'> {
  policy: PolicyVersion
  memory: Required<QueuedRun['memory']>
}

const leftOf = ({ budgetCents, costMicros }: Queued): number => budgetCents * microsPerCent - costMicros

/** What only looks whether main is green, or hands over what is verified, costs nothing. */
const isFree = ({ memory, stage }: Queued): boolean => memory.checksMain || stage === 'handing_off'
const isSpent = (run: Queued): boolean => leftOf(run) <= 0 && !isFree(run)

/** Why a queued run does not start now. What has spent its budget is, to ask for more. */
async function obstacleOf(run: Queued, hand: Hand): Promise<Obstacle | null> {
  const { memory } = run
  if (hand.paused && memory.fresh) return pausedTeam
  if (isSpent(run)) return null
  // Under its own policy, which may be older than the team's.
  const { workforce, obstacle } = await workersFor(run, hand)
  return (
    // The worker in this process has no repository to find a person's branch in.
    (memory.pushed && workforce.runners === null ? noRepository : null) ??
    obstacle ??
    (isFree(run) ? null : unaffordable(hand, hand.policy, leftOf(run)))
  )
}

/** Who does its next step, and with which agent: where several will do, with the first that is there. */
async function workersFor({ policy, memory, stage }: Queued, hand: Hand) {
  const isInSeveral = memory.parts.length > 0
  const [first, ...others] = agentsFor(memory, policy, stage)
  const servedBy = async (agent: PolicyVersion['executor']) => {
    const workforce = await hand.workforceFor(agent)
    return { agent, workforce, obstacle: unserved(workforce, { ...policy, executor: agent, isInSeveral }) }
  }
  const found = await servedBy(first!)
  for (const agent of found.obstacle ? others : []) {
    const other = await servedBy(agent)
    if (!other.obstacle) return other
  }
  return found
}

const start = async (
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  hands?: PolicyVersion['executor'],
): Promise<Entry[]> =>
  (await advance(ctx, tx, run, { type: 'started', ...(hands ? { hands } : {}) }))!.entries

async function startReady(ctx: Context, tx: Tx, story: ReadyStory, hand: Hand): Promise<Entry[]> {
  const { team, policy } = hand
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
    memory: { ...blank, ...beginsIn(story, hand.workforce?.repositories ?? []) },
    at,
    traceparent: newTrace(ctx),
  })
  const created: Entry = {
    event: 'run_started',
    team: team.slug,
    runKey: run.key,
    entity: { type: 'run', id: run.key, name: story.title },
    details: { story: story.key, budgetCents, policyVersion: policy.version, executor: policy.executor },
  }
  return [created, ...(await start(ctx, tx, await lockRun(tx, ctx.workspaceId, { id: run.id })))]
}

/** All repositories of the team, or those that the story names; a team with one has nothing to say. */
function beginsIn({ repositories: named }: ReadyStory, all: readonly string[]) {
  if (all.length < 2) return {}
  const wanted = named ? all.filter((name) => named.includes(name)) : all
  return initialParts(wanted.length > 0 ? wanted : all)
}
