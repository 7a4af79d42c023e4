import type { Obstacle } from '@signalbox/contract/app/stories.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Queue } from '@signalbox/contract/runner/queue.ts'
import type { Context } from '../../context.ts'
import { startOfDay, startOfMonth } from '../../days.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { policySnapshot } from '../../work/policies/snapshot.ts'
import { selectOpenOrders, selectTeamsWithDemand } from './demand-store.ts'
import { runBudget, unaffordable } from './obstacles.ts'

/** The runners that the numbers are for. */
interface Fleet {
  labels: readonly string[]
  /** Null: whatever is asked for. */
  agents: readonly string[] | null
}

type Group = Queue['orders'][number]

/**
 * What waits for runners. Without any, no order is offered and no run begins; so what would begin if there were one
 * counts as well, and a fleet that has gone to nothing comes back.
 */
export async function readQueue(ctx: Context, fleet: Fleet): Promise<Queue> {
  const { db, workspaceId } = ctx
  const now = ctx.clock.now()
  const [open, teams] = await Promise.all([
    selectOpenOrders(db, workspaceId, now),
    selectTeamsWithDemand(db, workspaceId, { now, day: startOfDay(now), month: startOfMonth(now) }),
  ])
  const groups: Group[] = []
  let working = 0
  for (const { state, labels, executor, orders } of open) {
    const group = { labels, agent: executor as Group['agent'] }
    if (state === 'offered') groups.push({ ...group, why: 'offered', count: orders })
    else if (isFor(fleet, group)) working += orders
  }
  for (const team of teams) {
    const policy = await policySnapshot(db, workspaceId, team.id, team.policyVersion)
    const labels = policy.runnerLabels ?? []
    groups.push(...demandOf(team, policy).map((demand) => ({ labels, ...demand })))
  }
  const waiting = groups
    .filter((group) => (group.why === 'offered' || group.why === 'runner') && isFor(fleet, group))
    .reduce((sum, { count }) => sum + count, 0)
  return { waiting, working, wanted: waiting + working, orders: merged(groups) }
}

/** As runners are chosen: all labels of the order are among the runner's. */
const isFor = ({ labels, agents }: Fleet, group: Pick<Group, 'labels' | 'agent'>): boolean =>
  group.labels.every((label) => labels.includes(label)) && (agents === null || agents.includes(group.agent))

type Team = Awaited<ReturnType<typeof selectTeamsWithDemand>>[number]

/**
 * What a team would begin if there were runners enough, and what the rest waits for. As in dispatching: a look at main
 * costs nothing, and a pause keeps back only what has not begun.
 */
function demandOf(team: Team, policy: PolicyVersion): Omit<Group, 'labels'>[] {
  const { checks, begun, fresh, leastLeftMicros, paused } = team
  const room = Math.max(0, policy.maxConcurrency - team.working)
  const runMicros = runBudget(policy) * microsPerCent
  const spending = { ...team }
  let begins = Math.min(checks, room)
  let lack: Obstacle | null = null
  for (let run = 0; run < begun + (paused ? 0 : fresh) && begins < room; run += 1) {
    const micros = run < begun ? leastLeftMicros : runMicros
    lack = unaffordable({ spending }, policy, micros)
    if (lack) break
    spending.reservedMicros += micros
    begins += 1
  }
  const line = (['checks', 'begun', 'fresh'] as const).flatMap((part) => agentsOf(team, part, policy))
  const heldFrom = paused ? checks + begun : line.length
  const otherwise = lack ? (lack.by as 'money' | 'budget') : 'slots'
  return line.map((agent, place) => ({
    ...{ agent, count: 1 },
    why: place < begins ? 'runner' : place < heldFrom ? otherwise : 'pause',
  }))
}

/** The agent of each run, races first: they were asked for, and begin before stories are picked up. */
const agentsOf = (team: Team, part: keyof Team['racers'], { executor }: PolicyVersion): Group['agent'][] => {
  const racers = team.racers[part]
  return [...racers, ...Array<Group['agent']>(team[part] - racers.length).fill(executor)]
}

function merged(groups: readonly Group[]): Group[] {
  const alike = Map.groupBy(groups, ({ labels, agent, why }) =>
    JSON.stringify([labels.toSorted(), agent, why]),
  )
  return [...alike.values()].map((some) => ({
    ...some[0]!,
    count: some.reduce((sum, { count }) => sum + count, 0),
  }))
}
