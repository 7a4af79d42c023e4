import { executorNames } from '@signalbox/contract/executor-names.ts'
import type { RunListed } from '@signalbox/contract/run.ts'
import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { nextKey } from '../../keys.ts'
import type { WorkPort } from '../../ports/work.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import type { PolicyVersion } from '../../work/policies/change.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import { type LockedStory, lockStory } from '../../work/stories/lock.ts'
import { placeStoryWithin } from '../../work/stories/place.ts'
import { storyRepositories } from '../../work/stories/set-repositories.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { blank } from '../machine/machine.ts'
import { initialParts } from '../machine/parts.ts'
import { newRace } from '../machine/race.ts'
import { hasOtherOpenRun, insertRun } from '../machine/run-store.ts'
import { newTrace } from '../machine/trace.ts'
import { runBudget } from '../orders/obstacles.ts'
import { policyToStart } from '../orders/policy-to-start.ts'
import { selectStanding } from '../orders/queue-store.ts'
import { readAgents } from '../orders/read-agents.ts'
import { requireReady } from '../orders/require-ready.ts'

type Agent = RunListed['executor']

/** From where a race takes a story to Ready: a story that already is there is most often begun by its team at once. */
const raceable = ['backlog', 'refining']

/**
 * Gives a story to two agents in one run. It waits for a slot like any run that was asked for; the first of them plans
 * and writes the acceptance spec, then each makes its change.
 */
export async function startRace(
  ctx: Context,
  work: Pick<WorkPort, 'serves'>,
  storyKey: string,
  [first, second]: readonly [Agent, Agent],
): Promise<{ run: string }> {
  requireRole(ctx, 'member', 'start a race')
  if (first === second)
    throw new DomainError(
      'invalid_request',
      '`agents` names the same agent twice. Choose two different ones.',
    )
  return change(ctx, async (tx) => {
    const found = await selectStanding(tx, ctx.workspaceId, { story: storyKey })
    // The team is locked to begin a run of its story, so that of two requests only one finds the story free.
    const team = found && (await lockTeamById(tx, ctx.workspaceId, found.id))
    if (!team) throw notFound('story', storyKey)
    const story = await lockStory(ctx, tx, storyKey)
    const at = ctx.clock.now()
    const id = newId(at)
    if (await hasOtherOpenRun(tx, ctx.workspaceId, id, story.id))
      throw conflict(`Another run is already working on \`${story.key}\`. Stop it first or let it finish.`)
    const isMoved = raceable.includes(story.column) && !story.draft
    if (!isMoved) requireReady(story)
    const policy = await policyToStart(ctx, tx, team)
    if (policy.mergePolicy === 'manual')
      throw conflict('The policy leaves merging to people, so a race cannot ask which change to merge.')
    await requireAgents(ctx, tx, work, { teamId: team.id, policy, agents: [first, second] })
    const moved = isMoved ? [(await placeStoryWithin(ctx, tx, storyKey, 'ready')).audit] : []
    const budgetCents = runBudget(policy)
    const key = await nextKey(tx, ctx.workspaceId, 'run')
    await insertRun(tx, ctx.workspaceId, {
      ...{ id, key, teamId: team.id, storyId: story.id, budgetCents, executor: first, at },
      policyVersion: policy.version,
      memory: { ...blank, ...(await inOne(ctx, tx, team.id, story)), race: newRace([first, second]) },
      traceparent: newTrace(ctx),
    })
    await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: team.id })
    return {
      value: { run: key },
      audit: [
        ...moved,
        {
          event: 'run_started',
          team: team.slug,
          runKey: key,
          entity: { type: 'run', id: key, name: story.title },
          details: {
            ...{ story: story.key, budgetCents, policyVersion: policy.version, executor: first },
            race: [first, second],
          },
        },
      ],
    }
  })
}

async function requireAgents(
  ctx: Context,
  tx: Tx,
  work: Pick<WorkPort, 'serves'>,
  { teamId, policy, agents }: { teamId: string; policy: PolicyVersion; agents: Agent[] },
): Promise<void> {
  const there = await readAgents(tx, ctx.workspaceId, teamId, ctx.clock.now(), { work, policy })
  const missing = agents.find((agent) => !there.includes(agent))
  if (!missing) return
  const names = there.map((agent) => executorNames[agent]).join(', ')
  throw conflict(
    `No connected runner of the team can use ${executorNames[missing]} under its policy. Available: ${names || 'none'}.`,
  )
}

/** Both changes are compared as one diff each, so the story is about one repository. */
async function inOne(ctx: Context, tx: Tx, teamId: string, { id, key }: LockedStory) {
  const all = (await teamRepositories(tx, ctx.workspaceId, teamId)).map(({ name }) => name)
  if (all.length < 2) return {}
  const named = await storyRepositories(tx, ctx.workspaceId, id)
  const wanted = named ? all.filter((name) => named.includes(name)) : all
  if (wanted.length !== 1)
    throw conflict(`A race needs a story about one repository. Choose one for \`${key}\` first.`)
  return initialParts(wanted)
}

const conflict = (message: string) => new DomainError('conflict', message)
