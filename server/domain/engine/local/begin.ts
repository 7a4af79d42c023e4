import type { BeginWork, WorkBegun } from '@signalbox/contract/local-work.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { nextKey } from '../../keys.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { agentText } from '../../text.ts'
import { lockStory } from '../../work/stories/lock.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { advance } from '../lifecycle/advance.ts'
import { type LockedRun, lockRun } from '../machine/lock.ts'
import { blank, isHeldByPerson } from '../machine/machine.ts'
import { insertRun } from '../machine/run-store.ts'
import { runBudget } from '../orders/obstacles.ts'
import { localLeaseFrom } from '../orders/orders.ts'
import { policyToStart } from '../orders/policy-to-start.ts'
import { requireReady } from '../orders/require-ready.ts'
import { personOf } from './holder.ts'
import { repositoriesFor } from './repositories-for.ts'
import { insertLocalWork, selectOpenWork, selectTeamOfStory } from './store.ts'

/**
 * Gives a Ready story to the person who asks, so that the team does not start it too: a run of its own, which they
 * report on and hand off. A person who has the story already is given the same run again.
 */
export async function beginWork(ctx: Context, storyKey: string, input: BeginWork = {}): Promise<WorkBegun> {
  requireRole(ctx, 'member', 'work on a story')
  const person = personOf(ctx)
  const agent = agentText('agent', input.agent ?? '', { least: 0, most: 100 }) || null
  return change<WorkBegun>(ctx, async (tx) => {
    const found = await selectTeamOfStory(tx, ctx.workspaceId, storyKey)
    // The team is locked to begin a run of its story, so that of two requests only one finds the story free.
    const team = found && (await lockTeamById(tx, ctx.workspaceId, found.teamId))
    if (!team) throw notFound('story', storyKey)
    const own = await ownRun(ctx, tx, found.id, person.id)
    if (own) return { value: await begun(ctx, tx, own), audit: [] }
    const story = await lockStory(ctx, tx, storyKey)
    const open = await selectOpenWork(tx, ctx.workspaceId, story.id)
    if (open)
      throw new DomainError(
        'conflict',
        `Run \`${open.run}\` is working on \`${story.key}\`. Stop it first or let it finish.`,
      )
    requireReady(story)
    const policy = await policyToStart(ctx, tx, team)
    const at = ctx.clock.now()
    const id = newId(at)
    const key = await nextKey(tx, ctx.workspaceId, 'run')
    const budgetCents = runBudget(policy)
    const executor = executorOf(agent)
    await insertRun(tx, ctx.workspaceId, {
      ...{ id, key, teamId: team.id, storyId: story.id, budgetCents, executor, at },
      policyVersion: policy.version,
      memory: blank,
      // What a person does on their own machine is no one's to measure.
      traceparent: null,
    })
    await insertLocalWork(tx, ctx.workspaceId, { runId: id, attempt: 1, personId: person.id, agent, at })
    const run = await lockRun(tx, ctx.workspaceId, { id })
    const event = { type: 'begun_locally', personId: person.id, name: person.name } as const
    const advanced = (await advance(ctx, tx, run, event))!
    const started: Entry = {
      event: 'run_started',
      team: team.slug,
      runKey: key,
      entity: { type: 'run', id: key, name: story.title },
      details: { story: story.key, budgetCents, policyVersion: policy.version, executor, local: true },
    }
    return {
      value: await begun(ctx, tx, { ...run, state: advanced.state }),
      audit: [started, ...advanced.entries],
    }
  })
}

/** The run in which that person has the story. A run is held before its story. */
async function ownRun(ctx: Context, tx: Tx, storyId: string, personId: string): Promise<LockedRun | null> {
  const open = await selectOpenWork(tx, ctx.workspaceId, storyId)
  if (open?.personId !== personId) return null
  const run = await lockRun(tx, ctx.workspaceId, { key: open.run })
  // It may have ended while we were coming.
  return isHeldByPerson(run.state) ? run : null
}

async function begun(ctx: Context, tx: Tx, run: LockedRun): Promise<WorkBegun> {
  const { concerned } = await repositoriesFor(tx, ctx.workspaceId, run)
  const repositories = concerned.map(({ name, address, branch }) => ({ name, address, branch }))
  return {
    run: run.key,
    story: run.story.key,
    attempt: run.state.attempt,
    leaseUntil: localLeaseFrom(ctx.clock.now()).toISOString(),
    budgetCents: run.state.budgetCents,
    deniedPaths: run.policy.deniedPaths,
    repository: repositories[0] ?? null,
    repositories,
  }
}

/** Which of the coding agents we know it is; any other is a program that we know nothing of. */
function executorOf(agent: string | null): RunListed['executor'] {
  const said = agent?.toLowerCase() ?? ''
  const known = { claude: 'claude_code', codex: 'codex', gemini: 'gemini', opencode: 'opencode' } as const
  const others = { copilot: 'copilot', qwen: 'qwen' } as const
  for (const [name, executor] of Object.entries({ ...known, ...others }))
    if (said.includes(name)) return executor
  return 'command'
}
