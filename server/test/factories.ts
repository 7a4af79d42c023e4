import { randomBytes } from 'node:crypto'
import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import { columnRoles, type StoryListed } from '@signalbox/contract/story.ts'
import type { Permission } from '@signalbox/contract/token.ts'
import { createToken } from '../domain/accounts/tokens/create.ts'
import { addPerson } from '../domain/accounts/workspaces/add-person.ts'
import { createWorkspace } from '../domain/accounts/workspaces/create.ts'
import type { Context } from '../domain/context.ts'
import { nextKey } from '../domain/keys.ts'
import { change } from '../domain/record/audit/change.ts'
import { changePolicy } from '../domain/work/policies/change.ts'
import { currentPolicy } from '../domain/work/policies/current.ts'
import type { Preset } from '../domain/work/policies/presets.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import type { Db, Tx } from '../infra/db/db.ts'
import { newId } from '../infra/ids.ts'
import { silentQueue } from '../infra/jobs/queue.ts'
import { tables } from './tables.ts'

/** A workspace of its own for a test, with the operator as actor. */
export async function aWorkspace(db: Db, clock: Clock = systemClock): Promise<Context & { slug: string }> {
  const slug = `ws-${randomBytes(5).toString('hex')}`
  const operator = {
    db,
    clock,
    queue: silentQueue,
    actor: { type: 'system', name: 'test' },
    channel: 'operator',
  } as const
  const workspace = await createWorkspace(operator, { slug, name: slug })
  return { ...operator, workspaceId: workspace.id, slug }
}

/** A member, as the context in which that person acts. */
export async function aMember(
  ctx: Context,
  role: Role,
): Promise<Context & { personId: string; email: string }> {
  const email = `${role}-${randomBytes(4).toString('hex')}@example.com`
  const person = await addPerson(ctx, { email, name: `A ${role}`, role })
  return {
    ...ctx,
    personId: person.id,
    email,
    actor: { type: 'human', name: person.name, userId: person.id, role },
    channel: 'app',
  }
}

export async function aToken(
  member: Context & { personId: string },
  permissions: Permission[] = ['read'],
  expires: '30d' | '90d' | '1y' = '30d',
): Promise<{ id: string; token: string }> {
  return createToken(member, { personId: member.personId, name: 'test', permissions, expires })
}

/** A team with its six columns, without a policy. */
export async function aTeam(
  ctx: Context,
  slug = `team-${randomBytes(3).toString('hex')}`,
): Promise<{ id: string; slug: string; keyPrefix: string }> {
  const at = ctx.clock.now()
  const team = { id: newId(at), slug, keyPrefix: `T${randomBytes(3).toString('hex').toUpperCase()}` }
  return change(ctx, async (tx) => {
    await tables(tx)
      .insertInto('teams')
      .values({
        id: team.id,
        workspace_id: ctx.workspaceId,
        slug,
        name: `Team ${slug}`,
        key_prefix: team.keyPrefix,
        created_at: at,
      })
      .execute()
    await tables(tx)
      .insertInto('columns')
      .values(
        columnRoles.map((role, position) => ({
          id: newId(at),
          workspace_id: ctx.workspaceId,
          team_id: team.id,
          name: role,
          role,
          position,
        })),
      )
      .execute()
    return {
      value: team,
      audit: {
        event: 'team_created',
        team: slug,
        entity: { type: 'team', id: slug },
        details: { keyPrefix: team.keyPrefix },
      },
    }
  })
}

export async function aStory(
  ctx: Context,
  team: { id: string; slug: string; keyPrefix: string },
  input: {
    draft?: boolean
    title?: string
    column?: StoryListed['column']['role']
    size?: StoryListed['size']
    complexity?: StoryListed['complexity']
    classOfService?: StoryListed['classOfService']
    readinessScore?: number
    tracker?: StoryListed['tracker']
  } = {},
): Promise<{ id: string; key: string }> {
  const at = ctx.clock.now()
  return change(ctx, async (tx) => {
    const { last_story_number } = await tables(tx)
      .updateTable('teams')
      .set((eb) => ({ last_story_number: eb('last_story_number', '+', 1) }))
      .where('id', '=', team.id)
      .returning('last_story_number')
      .executeTakeFirstOrThrow()
    const column = await tables(tx)
      .selectFrom('columns')
      .select('id')
      .where('team_id', '=', team.id)
      .where('role', '=', input.column ?? 'ready')
      .executeTakeFirstOrThrow()
    const story = { id: newId(at), key: `${team.keyPrefix}-${last_story_number}` }
    await tables(tx)
      .insertInto('stories')
      .values({
        ...story,
        workspace_id: ctx.workspaceId,
        team_id: team.id,
        title: input.title ?? `Story ${story.key}`,
        description: 'What is wanted.',
        column_id: column.id,
        draft: input.draft ?? false,
        readiness_score: input.readinessScore ?? 100,
        size: input.size ?? null,
        complexity: input.complexity ?? null,
        class_of_service: input.classOfService ?? 'standard',
        tracker_platform: input.tracker?.platform ?? null,
        tracker_key: input.tracker?.key ?? null,
        tracker_url: input.tracker?.url ?? null,
        created_at: at,
        updated_at: at,
      })
      .execute()
    return {
      value: story,
      audit: {
        event: 'story_changed',
        team: team.slug,
        entity: { type: 'story', id: story.key },
        details: { change: 'drafted' },
      },
    }
  })
}

/** Gives a team a policy under which only the scripted executor works. */
export async function aPolicy(
  ctx: Context,
  team: { slug: string },
  preset: Preset = 'supervised',
  departures: Partial<PolicySettings> = {},
): Promise<void> {
  await changePolicy(ctx, team.slug, { preset, departures: { executor: 'scripted', ...departures } })
}

/** A run that works on its plan, under the team's policy; a team without one gets one. */
export async function aRun(
  ctx: Context,
  team: { id: string; slug: string },
  story: { id: string },
): Promise<{ id: string; key: string }> {
  const at = ctx.clock.now()
  if (!(await currentPolicy(ctx.db, ctx.workspaceId, team.id))) await aPolicy(ctx, team)
  return change(ctx, async (tx) => {
    const run = { id: newId(at), key: await nextKey(tx, ctx.workspaceId, 'run') }
    const where = { workspace_id: ctx.workspaceId }
    await tables(tx)
      .insertInto('runs')
      .values({
        ...run,
        ...where,
        team_id: team.id,
        story_id: story.id,
        attempts: 1,
        budget_cents: 500,
        phase: 'working',
        created_at: at,
      })
      .execute()
    await tables(tx)
      .insertInto('attempts')
      .values({
        ...where,
        run_id: run.id,
        attempt: 1,
        status: 'running',
        stage: 'planning',
        executor: 'scripted',
        started_at: at,
      })
      .execute()
    await tables(tx)
      .insertInto('work_orders')
      .values({
        ...where,
        run_id: run.id,
        fence: 0,
        attempt: 1,
        stage: 'planning',
        state: 'offered',
        offered_at: at,
        // Someone works on it: a server that sweeps beside the test must not take it for lost.
        lease_until: new Date(at.getTime() + 3_600_000),
      })
      .execute()
    return {
      value: run,
      audit: {
        event: 'run_started',
        team: team.slug,
        runKey: run.key,
        entity: { type: 'run', id: run.key },
        details: { story: story.id, budgetCents: 500, executor: 'scripted' },
      },
    }
  })
}

export async function aDecision(
  ctx: Context,
  team: { id: string; slug: string },
  where: {
    storyId?: string
    run?: { id: string; key: string }
    authority?: Role
    kind?: Decision['kind']
    expiresAt?: Date
  } = {},
): Promise<{ id: string; key: string }> {
  const at = ctx.clock.now()
  return change(ctx, async (tx) => {
    const decision = { id: newId(at), key: await nextKey(tx, ctx.workspaceId, 'dec') }
    await tables(tx)
      .insertInto('decisions')
      .values({
        ...decision,
        workspace_id: ctx.workspaceId,
        team_id: team.id,
        story_id: where.storyId ?? null,
        run_id: where.run?.id ?? null,
        kind: where.kind ?? 'plan_approval',
        expires_at: where.expiresAt ?? null,
        authority: where.authority ?? 'member',
        title: 'Approve the plan',
        body: 'Because.',
        status: 'pending',
        options: JSON.stringify([
          { id: 'approve', label: 'Approve', action: 'approve_plan' },
          { id: 'changes', label: 'Request changes', action: 'request_changes' },
        ]),
        recommendation: 'approve',
        created_at: at,
      })
      .execute()
    if (where.run) await letWait(tx, where.run.id)
    return {
      value: decision,
      audit: {
        event: 'decision_raised',
        team: team.slug,
        runKey: where.run?.key ?? null,
        entity: { type: 'decision', id: decision.key },
        details: { kind: where.kind ?? 'plan_approval', recommendation: 'approve' },
      },
    }
  })
}

/** Puts a run where a decision about its plan finds it. */
async function letWait(tx: Tx, runId: string): Promise<void> {
  await tables(tx)
    .updateTable('runs')
    .set({
      phase: 'waiting',
      // If no one takes its order, the engine may have put the run back into the queue by now.
      wake_at: null,
      memory: JSON.stringify({ waitsFor: 'plan_approval', plan: '1. Do it.' }),
    })
    .where('id', '=', runId)
    .execute()
  await tables(tx).updateTable('attempts').set({ status: 'waiting' }).where('run_id', '=', runId).execute()
  await tables(tx)
    .updateTable('work_orders')
    .set({ state: 'ended', ended_at: new Date(0) })
    .where('run_id', '=', runId)
    .execute()
}
