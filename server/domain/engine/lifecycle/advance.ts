import { microsPerCent } from '@signalbox/contract/money.ts'
import type { ReviewSeverity } from '@signalbox/contract/reviewers.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import { addEffect, hasPendingEffect, reviveEffect, withdrawEffects } from '../../record/outbox/add.ts'
import { isAtGitHost, isOpen, type Phase, statusOf } from '../../work/runs/phase.ts'
import { followIssue } from '../../work/stories/follow-issue.ts'
import { moveStory } from '../../work/stories/move.ts'
import { recordCriteria } from '../../work/stories/record-criteria.ts'
import type { LockedRun } from '../machine/lock.ts'
import { type Command, type RunEvent, type RunState, step, whyAsked } from '../machine/machine.ts'
import { agentOf } from '../machine/race.ts'
import {
  insertAttempt,
  updateAgent,
  updateAttempt,
  updateRun,
  updateVerification,
  updateWake,
} from '../machine/run-store.ts'
import { announceSlot, endOrder, offerOrder, renewOrder } from '../orders/orders.ts'
import { noteReason } from '../orders/queue-store.ts'
import { announceStep } from './announce-step.ts'
import { cancelDecisions } from './cancel.ts'
import { notifyOfEnd } from './notify.ts'
import { raiseDecision } from './raise.ts'

/** A call to the git host is retried automatically; after this time, a sweep checks that it was not forgotten. */
const effectSeconds = 600

/** What the engine does in a phase where it is neither a worker's turn nor a person's. */
const effectOf = {
  opening: 'open_pull_request',
  merging: 'merge',
  watching: 'check_main',
  reverting: 'open_revert',
} as const

/** Looks after a run whose call to the outside takes long, and revives the call if it is no longer pending. */
export async function remind(ctx: Context, tx: Tx, run: LockedRun): Promise<void> {
  const { phase } = run.state
  if (!isAtGitHost(phase)) return
  await updateWake(tx, ctx.workspaceId, run.id, wakeAt(phase, ctx.clock.now(), 0)!)
  if (!(await hasPendingEffect(ctx, tx, run.id))) await reviveEffect(ctx, tx, run.id, effectOf[phase])
}

export interface Advanced {
  state: RunState
  entries: Entry[]
  /** Key of the decision the run now waits for. */
  decision: string | null
}

/**
 * Takes a held run one step: writes the event, the new state, what is to be done outside and the next wake-up, and
 * returns what the audit log says of it. Null: the event means nothing in the run's state.
 */
export async function advance(
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  event: RunEvent,
  reported: { fence: number; report: number } | null = null,
): Promise<Advanced | null> {
  const stepped = step(run.state, event, { policy: run.policy, story: run.story })
  if (!stepped) return null
  const { state, commands } = stepped
  const at = ctx.clock.now()
  const began = commands.find((command) => command.do === 'begin_attempt')
  const ordered = commands.some((command) => command.do === 'order')
  const waits = commands.find((command) => command.do === 'wait')
  const pause = began?.afterSeconds ?? waits?.seconds ?? 0
  const advanced: LockedRun = { ...run, state, version: run.version + 1 }

  if (began) {
    await insertAttempt(tx, ctx.workspaceId, {
      runId: run.id,
      attempt: state.attempt,
      stage: state.stage,
      executor: agentOf(state.memory, run.policy),
    })
  }
  await updateRun(tx, ctx.workspaceId, {
    id: run.id,
    version: advanced.version,
    state,
    wakeAt: wakeAt(state.phase, at, pause),
    policyVersion: run.policy.version,
    event: { at, ...recorded(event), fence: reported?.fence ?? null, report: reported?.report ?? null },
  })
  await writeAttempt(ctx, tx, run, advanced, commands)
  let freesSlot = false
  const endsOrder = run.state.phase === 'working' && (state.phase !== 'working' || ordered)
  if (endsOrder) freesSlot = await endOrder(ctx, tx, run.id)
  else if (run.state.phase === 'working') await renewOrder(ctx, tx, run.id)
  await announceStep(ctx, tx, run, advanced, endsOrder)

  const entries: Entry[] = [
    ...(policyEntry(run, event, state) ?? []),
    ...mergeEntry(run, event),
    ...stateEntry(run, event, state, commands),
  ]
  let decision: string | null = null
  for (const command of commands) {
    const done = await carryOut(ctx, tx, advanced, command)
    entries.push(...done.entries)
    decision ??= done.decision ?? null
  }
  const moved = state.phase !== run.state.phase
  // The issue is told about milestones, not about every step.
  if (moved && (state.phase === 'waiting' || !isOpen(state.phase) || event.type === 'pull_request_opened'))
    await followIssue(ctx, tx, run.story.id)
  if (moved && !isOpen(state.phase)) {
    await withdrawEffects(ctx, tx, run.id)
    const ended = commands.find((command) => command.do === 'end_attempt')
    await notifyOfEnd(ctx, tx, run, state, ended?.error ?? null)
  }
  // A runner's slot goes to the team whose turn it is; the team's own slot stays with the team.
  const isLeft = run.state.phase === 'working' && moved
  if (isLeft && freesSlot) await announceSlot(ctx, tx)
  // Either this run wants a slot, or it has left one.
  if (state.phase === 'queued' || (isLeft && !freesSlot)) {
    const wake = { task: 'team', workspaceId: ctx.workspaceId, id: run.team.id }
    await ctx.queue.send(tx, wake, pause > 0 ? { seconds: pause } : undefined)
  }
  return { state, entries, decision }
}

const later = (from: Date, seconds: number) => new Date(from.getTime() + seconds * 1000)

function wakeAt(phase: Phase, at: Date, pauseSeconds: number): Date | null {
  if (phase === 'queued') return later(at, pauseSeconds)
  return isAtGitHost(phase) ? later(at, effectSeconds) : null
}

/** An event as it is kept: its type beside, and its data without what other tables keep. */
function recorded({ type, ...data }: RunEvent): { type: string; data: unknown } {
  if ('evidence' in data) return { type, data: { gates: data.gates, envelope: data.envelope } }
  return { type, data }
}

async function writeAttempt(
  ctx: Context,
  tx: Tx,
  before: LockedRun,
  { id, state }: LockedRun,
  commands: Command[],
): Promise<void> {
  const at = ctx.clock.now()
  const ended = commands.find((command) => command.do === 'end_attempt')
  if (ended) {
    const { status, failureClass, error } = ended
    await updateAttempt(tx, ctx.workspaceId, id, before.state.attempt, {
      status,
      failureClass,
      error,
      completedAt: at,
    })
    return
  }
  if (state.attempt !== before.state.attempt) return
  if (statusOf(state.phase) === statusOf(before.state.phase) && state.stage === before.state.stage) return
  await updateAttempt(tx, ctx.workspaceId, id, state.attempt, {
    status: statusOf(state.phase),
    stage: state.stage,
    ...(state.phase === 'working' ? { startedAt: at } : {}),
    // An attempt that a person began stays what they made it with.
    ...(state.phase === 'working' && !state.memory.local
      ? { executor: agentOf(state.memory, before.policy) }
      : {}),
  })
}

interface Done {
  entries: Entry[]
  decision?: string
}
const nothing: Done = { entries: [] }

async function carryOut(ctx: Context, tx: Tx, run: LockedRun, command: Command): Promise<Done> {
  const { state } = run
  switch (command.do) {
    case 'order':
      await offerOrder(ctx, tx, run)
      return nothing
    case 'open_pull_request':
    case 'merge':
    case 'check_main':
    case 'open_revert':
      await addEffect(ctx, tx, {
        kind: command.do,
        key: `${command.do}/${run.id}/${state.attempt}/${run.version}`,
        data: {},
        runId: run.id,
      })
      return nothing
    case 'raise': {
      const { do: _, ...asked } = command
      const raised = await raiseDecision(ctx, tx, {
        ...asked,
        title: run.story.title,
        team: run.team,
        story: run.story,
        run,
      })
      return { entries: raised.entries, decision: raised.key }
    }
    case 'cancel_decisions':
      return {
        entries: await cancelDecisions(
          ctx,
          tx,
          { id: run.id, key: run.key, team: run.team.slug },
          command.cause,
        ),
      }
    case 'move_story':
      return { entries: await move(ctx, tx, run, command) }
    case 'note_agent':
      await updateAgent(tx, ctx.workspaceId, run.id, state.attempt, command)
      return nothing
    case 'record':
      return { entries: await record(ctx, tx, run, command) }
    case 'wait':
      await noteReason(
        tx,
        ctx.workspaceId,
        [run.id],
        { by: 'repository', reason: command.reason },
        ctx.clock.now(),
      )
      return nothing
    case 'end_attempt':
    case 'begin_attempt':
      return nothing
  }
}

async function move(
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  { to, note }: Extract<Command, { do: 'move_story' }>,
): Promise<Entry[]> {
  const moved = await moveStory(ctx, tx, run.story.id, to, note === undefined ? {} : { note })
  if (note && run.story.tracker) {
    await addEffect(ctx, tx, {
      kind: 'comment_issue',
      key: `comment_issue/${run.id}/${run.version}`,
      data: { issue: run.story.tracker, text: note, story: run.story.key, team: run.team.slug, run: run.key },
    })
  }
  if (moved.from === moved.to) return []
  return [
    {
      event: 'story_changed',
      team: run.team.slug,
      runKey: run.key,
      entity: { type: 'story', id: run.story.key, name: run.story.title },
      details: {
        change: 'moved',
        changes: [{ field: 'column', before: moved.from, after: moved.to }],
        ...(note ? { note } : {}),
      },
    },
  ]
}

async function record(
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  { attempt, gates, evidence }: Extract<Command, { do: 'record' }>,
): Promise<Entry[]> {
  const at = ctx.clock.now().toISOString()
  const failed = gates.some((gate) => gate.result === 'failed')
  await updateVerification(
    tx,
    ctx.workspaceId,
    run.id,
    attempt,
    { result: failed ? 'failed' : 'passed', gates, verifiedAt: at },
    { ...evidence, collectedAt: at },
  )
  await recordCriteria(ctx, tx, run.story.id, evidence.criteria)
  return []
}

/** A person wants another attempt, and gets it: that the last one had failed is not what the entry tells. */
const wishes = new Set<RunEvent['type']>(['attempt_wanted', 'spec_restored', 'retried'])

/** What the log says of a step that changed what the outside sees. */
function stateEntry(before: LockedRun, event: RunEvent, state: RunState, commands: Command[]): Entry[] {
  const was = {
    status: statusOf(before.state.phase),
    stage: before.state.stage,
    attempt: before.state.attempt,
  }
  const is = { status: statusOf(state.phase), stage: state.stage, attempt: state.attempt }
  const isSame = was.status === is.status && was.stage === is.stage && was.attempt === is.attempt
  // Evidence is always in the log, also of a repository after which the next is measured.
  if (isSame && !(event.type === 'gates_ran' && event.envelope)) return []
  const ended = commands.find((command) => command.do === 'end_attempt')
  const changes = (['status', 'stage', 'attempt'] as const)
    .filter((field) => was[field] !== is[field])
    .map((field) => ({ field, before: was[field], after: is[field] }))
  const hasFailed = Boolean(ended?.failureClass) && !wishes.has(event.type)
  return [
    {
      event: 'run_state_changed',
      team: before.team.slug,
      runKey: before.key,
      result: hasFailed ? 'failure' : 'success',
      entity: { type: 'run', id: before.key, name: before.story.title },
      details: {
        cause: event.type,
        ...is,
        changes,
        ...(ended?.failureClass ? { failureClass: ended.failureClass } : {}),
        ...(ended?.error ? { reason: ended.error } : {}),
        ...(event.type === 'merged' && event.mismatch ? { reason: event.mismatch } : {}),
        ...(event.type === 'gates_ran' && event.envelope ? signedWith(event) : {}),
        ...(event.type === 'gates_ran' && event.envelope ? inOf(before) : {}),
        ...(event.type === 'gates_ran' ? reviewedWith(event) : {}),
        ...(event.type === 'main_checked' && event.byMaker !== undefined
          ? { mainCheckedBy: event.byMaker ? 'maker' : 'another' }
          : {}),
        ...(ended ? { costCents: Math.ceil(before.state.costMicros / microsPerCent) } : {}),
      },
    },
  ]
}

/** What was merged, with the facts by which it is known to be what was verified; or why it is not. */
function mergeEntry(run: LockedRun, event: RunEvent): Entry[] {
  const { parts, at } = run.state.memory
  const pullRequest = parts.find(({ name }) => name === at)?.pullRequest ?? run.state.pullRequest
  if (event.type !== 'merged' || !event.facts || !pullRequest) return []
  return [
    {
      event: 'pull_request_merged',
      team: run.team.slug,
      runKey: run.key,
      result: event.mismatch ? 'failure' : 'success',
      entity: { type: 'run', id: run.key, name: run.story.title },
      details: {
        number: pullRequest.number,
        ...inOf(run),
        ...event.facts,
        read: event.read ?? null,
        ...(event.mismatch ? { reason: event.mismatch } : {}),
      },
    },
  ]
}

/** Of several repositories, which one it is about. */
const inOf = ({ state: { memory } }: LockedRun) =>
  memory.parts.length > 0 && memory.at !== null ? { repository: memory.at } : {}

const signedWith = ({ envelope, statements }: Extract<RunEvent, { type: 'gates_ran' }>) => ({
  evidence: envelope,
  ...(statements ? { statements } : {}),
})

const reviewedWith = ({ evidence: { secondReview } }: Extract<RunEvent, { type: 'gates_ran' }>) => {
  if (!secondReview) return {}
  const { result, agent, findings } = secondReview
  const count = (of: ReviewSeverity) => findings.filter(({ severity }) => severity === of).length
  return { secondReview: { result, agent, high: count('high'), medium: count('medium'), low: count('low') } }
}

/** Where the policy was asked, the log says what it answered. To have a person asked is an answer, and denies nothing. */
const policyQuestions = {
  plan_ready: 'plan',
  change_ready: 'paths',
  finished: 'merge',
  pull_request_opened: 'merge',
} as const

function policyEntry(run: LockedRun, event: RunEvent, state: RunState): Entry[] | undefined {
  if (!Object.hasOwn(policyQuestions, event.type) || state.phase === 'opening') return
  // A person has chosen what is merged: the policy is not asked about it.
  if (event.type !== 'change_ready' && state.memory.race?.chosen && state.phase === 'merging') return
  const asked = state.phase === 'waiting'
  return [
    {
      event: 'policy_evaluated',
      team: run.team.slug,
      runKey: run.key,
      entity: { type: 'policy', id: run.team.slug, name: `Policy of ${run.team.name}` },
      details: {
        question: policyQuestions[event.type as keyof typeof policyQuestions],
        answer: asked ? 'ask' : 'yes',
        version: run.policy.version,
        ...(state.memory.waitsFor === 'merge_approval'
          ? { because: whyAsked({ state, policy: run.policy }) }
          : {}),
        ...(state.memory.waitsFor ? { decision: state.memory.waitsFor } : {}),
      },
    },
  ]
}
