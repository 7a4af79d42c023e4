import { createHash } from 'node:crypto'
import type { Memory } from '../../server/domain/engine/machine/machine.ts'
import { nextKey } from '../../server/domain/keys.ts'
import type { Entry } from '../../server/domain/record/audit/change.ts'
import { firstExecutor, presets } from '../../server/domain/work/policies/presets.ts'
import type { Tx } from '../../server/infra/db/db.ts'
import { newId } from '../../server/infra/ids.ts'
import { tables } from '../../server/test/tables.ts'
import type {
  DemoAttempt,
  DemoDecision,
  DemoEvidence,
  DemoRun,
  DemoStory,
  DemoTeam,
  DemoVerification,
} from '../script.ts'
import { scriptedDiff } from '../shorthand/diff.ts'
import { statusOf } from './decision.ts'
import type { Past } from './past.ts'
import { insertPastLog } from './past-logs.ts'
import { diffsOf, raceOf } from './race.ts'
import { keyOf } from './story.ts'

type Step = Entry<'run_state_changed'>['details']
type Status = Step['status']

/** What ended an attempt, where it was not that the work was finished. */
const endings: Partial<Record<Status, Step['cause']>> = {
  failed: 'failed',
  timed_out: 'overran',
  stopped: 'stopped',
}

/** A run with its attempts, in SQL: the engine has no verb for what an agent did last week. */
export function addRun(past: Past, team: DemoTeam, run: DemoRun): void {
  const story = team.stories.find((one) => keyOf(team, one) === run.storyKey)!
  const about = (): Pick<Entry, 'team' | 'runKey' | 'entity'> => {
    const { key } = past.runs.get(run.id)!
    return { team: team.slug, runKey: key, entity: { type: 'run', id: key, name: story.title } }
  }
  past.wrote({
    minutesAgo: run.createdMinutesAgo,
    write: (tx, at) => insertRun(tx, past, team, run, story, at),
    audit: () => ({
      event: 'run_started',
      ...about(),
      details: {
        story: run.storyKey,
        budgetCents: budgetOf(team, run),
        executor: run.race?.agents[0] ?? executorOf(team, run, run.attempts[0]!),
        ...(run.race ? { race: run.race.agents } : {}),
      },
    }),
  })
  run.attempts.forEach((attempt, index) => {
    const step = (
      minutesAgo: number,
      by: string | undefined,
      [before, status]: [Status, Status],
      details: Pick<Step, 'cause'> & Partial<Step>,
      failed = false,
    ) =>
      past.wrote({
        minutesAgo,
        actor: by ? { type: 'human', email: by } : { type: 'service' },
        audit: () => ({
          event: 'run_state_changed',
          ...about(),
          result: failed ? 'failure' : 'success',
          details: {
            status,
            stage: 'planning',
            attempt: index + 1,
            changes: [{ field: 'status', before, after: status }],
            ...details,
          },
        }),
      })
    if (attempt.retried)
      step(attempt.retried.minutesAgo, attempt.retried.by, ['failed', 'queued'], { cause: 'retried' })
    if (attempt.startedMinutesAgo !== undefined)
      step(attempt.startedMinutesAgo, undefined, ['queued', 'running'], { cause: 'started' })
    if (attempt.completedMinutesAgo === undefined) return
    const { status, stage, failureClass, costCents } = attempt
    const failed = status === 'failed' || status === 'timed_out'
    const end = {
      cause: endings[status] ?? 'finished',
      stage,
      costCents,
      ...(failureClass ? { failureClass } : {}),
    }
    step(attempt.completedMinutesAgo, attempt.stoppedBy, ['running', status], end, failed)
  })
}

async function insertRun(
  tx: Tx,
  past: Past,
  team: DemoTeam,
  run: DemoRun,
  story: DemoStory,
  at: Date,
): Promise<void> {
  const { workspaceId } = past
  const teamId = past.teamIds.get(team.slug)!
  const row = { id: newId(at), key: await nextKey(tx, workspaceId, 'run') }
  past.runs.set(run.id, row)
  await tables(tx)
    .insertInto('runs')
    .values({
      ...row,
      workspace_id: workspaceId,
      team_id: teamId,
      story_id: past.storyIds.get(run.storyKey)!,
      attempts: run.attempts.length,
      budget_cents: budgetOf(team, run),
      pull_request_url: run.pullRequest?.url ?? null,
      pull_request_number: run.pullRequest?.number ?? null,
      evidence: run.evidence ? JSON.stringify(evidenceOf(past, run, run.evidence)) : null,
      ...standingOf(past, team, run),
      created_at: at,
    })
    .execute()
  await tables(tx)
    .insertInto('attempts')
    .values(
      run.attempts.map((attempt, index) => ({
        workspace_id: workspaceId,
        run_id: row.id,
        attempt: index + 1,
        status: attempt.status,
        stage: attempt.stage,
        executor:
          run.race?.agents[index] ?? (isLive(attempt.status) ? 'scripted' : executorOf(team, run, attempt)),
        cost_cents: attempt.costCents,
        cost_micros: attempt.costCents * 10_000,
        failure_class: attempt.failureClass ?? null,
        error: attempt.error ?? null,
        verification: attempt.verification
          ? JSON.stringify(verificationOf(past, attempt.verification))
          : null,
        started_at: attempt.startedMinutesAgo === undefined ? null : past.at(attempt.startedMinutesAgo),
        completed_at: attempt.completedMinutesAgo === undefined ? null : past.at(attempt.completedMinutesAgo),
      })),
    )
    .execute()
  await insertDiff(tx, past, team, run, at)
  await insertMerge(tx, past, run, row.id)
  await insertUsage(tx, past, team, run, row.id)
  await insertOrder(tx, past, run, row.id)
  await insertPastLog(tx, past, row, team, run, story)
}

/**
 * Where the engine finds the run. One that is at work is about to be handed out again, as after a restart; what came
 * before the first event is not told.
 */
function standingOf(past: Past, team: DemoTeam, run: DemoRun) {
  const { status, stage } = run.attempts.at(-1)!
  const asked = team.decisions.find((one) => one.run === run.id && statusOf(one) === 'pending')
  const memory: Partial<Memory> = {
    fresh: status === 'queued' && run.attempts.length === 1,
    planApproved: stage !== 'planning',
    plan: asked?.kind === 'plan_approval' || asked?.kind === 'scope_change' ? asked.body : null,
    change: run.evidence?.changes ?? null,
    diff: hashOfDiff(team, run),
    findings: run.diff?.findings ?? [],
    gatesPassed: gatesPassedIn(run),
    secondReview: run.evidence?.secondReview ?? null,
    waitsFor: asked?.kind ?? null,
    merged: mergedIn(run)?.commit ?? null,
    race: raceOf(run),
  }
  return {
    phase: status === 'running' ? ('working' as const) : status,
    wake_at: status === 'queued' ? past.at(0) : null,
    fence: status === 'running' ? 1 : 0,
    memory: JSON.stringify(memory),
  }
}

/** As the engine would have counted them; null: none was run. */
function gatesPassedIn({ attempts }: DemoRun): number | null {
  const gates = attempts.at(-1)!.verification?.gates
  return gates ? gates.filter(({ result }) => result === 'passed').length : null
}

/** The diff as a runner would have uploaded it: a file, known by its hash. */
async function insertDiff(tx: Tx, past: Past, team: DemoTeam, run: DemoRun, at: Date): Promise<void> {
  const own = diffOf(team, run)
  for (const text of [...(own === null ? [] : [own]), ...diffsOf(run)]) {
    const bytes = Buffer.from(text)
    await tables(tx)
      .insertInto('kept_files')
      .values({
        workspace_id: past.workspaceId,
        sha256: hashOf(text),
        bytes,
        size: bytes.length,
        made_at: at,
      })
      .onConflict((same) => same.doNothing())
      .execute()
  }
}

/** When a run that ended well was merged, and as which commit. */
function mergedIn({
  attempts,
  evidence,
  pullRequest,
}: DemoRun): { minutesAgo: number; commit: string } | null {
  const { status, completedMinutesAgo } = attempts.at(-1)!
  if (status !== 'succeeded' || completedMinutesAgo === undefined || !evidence || !pullRequest) return null
  return { minutesAgo: completedMinutesAgo, commit: evidence.commit }
}

/** An investigation looks for what was merged. */
async function insertMerge(tx: Tx, past: Past, run: DemoRun, runId: string): Promise<void> {
  const merged = mergedIn(run)
  if (!merged) return
  await tables(tx)
    .insertInto('run_events')
    .values({
      ...{ workspace_id: past.workspaceId, run_id: runId, seq: 1, at: past.at(merged.minutesAgo) },
      ...{ type: 'merged', data: JSON.stringify({ commit: merged.commit }) },
    })
    .execute()
  // The next event is the second.
  await tables(tx).updateTable('runs').set({ version: 1 }).where('id', '=', runId).execute()
}

/** Kinds of decisions that let a change pass, or refuse it. */
const aboutChanges: DemoDecision['kind'][] = [
  ...(['merge_approval', 'diff_guard', 'policy_exception', 'revert_approval'] as const),
]

/** A person who is asked to merge a change can look at it: where none was written, its lines are scripted. */
function diffOf({ decisions }: DemoTeam, { id, diff, evidence, attempts }: DemoRun): string | null {
  if (diff || !evidence) return diff?.text ?? null
  const isAsked = decisions.some(({ run, kind }) => run === id && aboutChanges.includes(kind))
  return isAsked || isLive(attempts.at(-1)!.status) ? scriptedDiff(evidence.changes) : null
}

const hashOfDiff = (team: DemoTeam, run: DemoRun): string | null => {
  const text = diffOf(team, run)
  return text === null ? null : hashOf(text)
}

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

/** Copilot doesn't say which it used. */
const usualModels: Partial<Record<NonNullable<DemoAttempt['executor']>, string>> = {
  claude_code: 'claude-sonnet-4-5',
  codex: 'gpt-5.5',
  gemini: 'gemini-2.5-pro',
  opencode: 'gemini-2.5-pro',
}

/** What each attempt has cost, in one bill at its end. */
async function insertUsage(tx: Tx, past: Past, team: DemoTeam, run: DemoRun, runId: string): Promise<void> {
  const bills = run.attempts.flatMap((attempt, index) =>
    attempt.costCents === 0
      ? []
      : {
          workspace_id: past.workspaceId,
          team_id: past.teamIds.get(team.slug)!,
          run_id: runId,
          attempt: index + 1,
          model: attempt.model ?? usualModels[executorOf(team, run, attempt)] ?? null,
          // Before the first order that is given out from now on.
          fence: 0,
          report: index + 1,
          at: past.at(attempt.completedMinutesAgo ?? attempt.startedMinutesAgo ?? 0),
          amount: String(attempt.costCents / 100),
          currency: 'EUR',
          euro_rate: '1',
          euro_micros: attempt.costCents * 10_000,
        },
  )
  if (bills.length > 0) await tables(tx).insertInto('usage_ledger').values(bills).execute()
}

/** The order of a run that is at work, not yet handed out. */
async function insertOrder(tx: Tx, past: Past, run: DemoRun, runId: string): Promise<void> {
  if (run.attempts.at(-1)!.status !== 'running') return
  const now = past.at(0)
  const { stage, startedMinutesAgo } = run.attempts.at(-1)!
  await tables(tx)
    .insertInto('work_orders')
    .values({
      workspace_id: past.workspaceId,
      run_id: runId,
      fence: 1,
      attempt: run.attempts.length,
      stage,
      state: 'offered',
      offered_at: past.at(startedMinutesAgo ?? 0),
      lease_until: past.at(-1),
    })
    .execute()
  await tables(tx)
    .insertInto('effects')
    .values({
      id: newId(now),
      workspace_id: past.workspaceId,
      run_id: runId,
      kind: 'hand_out',
      key: `hand_out/${runId}/1`,
      data: JSON.stringify({ fence: 1 }),
      due_at: now,
      created_at: now,
    })
    .execute()
}

/** The policy that applied when the run was started. */
function policyOf(team: DemoTeam, run: DemoRun) {
  const { preset, departures } = team.policies.findLast((one) => one.minutesAgo >= run.createdMinutesAgo)!
  return { executor: firstExecutor, ...presets[preset], ...departures }
}

const budgetOf = (team: DemoTeam, run: DemoRun) => run.budgetCents ?? policyOf(team, run).budgets!.runCents!

const executorOf = (team: DemoTeam, run: DemoRun, { executor }: DemoAttempt) =>
  executor ?? policyOf(team, run).executor

function evidenceOf(past: Past, run: DemoRun, evidence: DemoEvidence) {
  const { gates, verifiedMinutesAgo } = run.attempts.at(-1)!.verification!
  return { ...evidence, gates, collectedAt: past.at(verifiedMinutesAgo).toISOString() }
}

const verificationOf = (past: Past, { verifiedMinutesAgo, ...verification }: DemoVerification) => ({
  ...verification,
  verifiedAt: past.at(verifiedMinutesAgo).toISOString(),
})

/** Attempts that are not over are played on, by no agent. */
const isLive = (status: string) => status === 'queued' || status === 'running' || status === 'waiting'
