import { type RunEvidence, specGate } from '@signalbox/contract/runner/evidence.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { ChangeReader } from '../../ports/change-reader.ts'
import type { OrderRef, Verdict, WorkEvent } from '../../ports/work.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { acceptEvidence, type Known, type Signer } from '../../work/evidence/accept.ts'
import { recordEvidence } from '../../work/evidence/record.ts'
import { readFile } from '../../work/files/read.ts'
import { requireFiles } from '../../work/files/require.ts'
import { noteMainLook } from '../../work/repositories/main-look.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { type LockedRun, lockRun } from '../machine/lock.ts'
import { type CheckedReport, isBudgetReached } from '../machine/machine.ts'
import { specInTurn } from '../machine/parts.ts'
import { appendEvent, isReported, selectTeamOf } from '../machine/run-store.ts'
import { sanitizeJson } from '../machine/sanitize-json.ts'
import { priceOf, type Rates, recordSpend, type Usage } from '../orders/bill.ts'
import { orderedPolicy } from '../orders/compose-order.ts'
import { renewOrder } from '../orders/orders.ts'
import { advance } from './advance.ts'
import { checkReport } from './check-report.ts'
import { propose } from './propose.ts'
import { type MainState, noteMain } from './report-main.ts'

/** One event of a work order. The number tells it from its repetition. */
export interface Report {
  number: number
  event: WorkEvent
  /** The runner that reports, where evidence can be signed. */
  signer?: Signer
}

/**
 * Takes what comes back from a work order. A report that arrives twice counts once; one of an outdated order is noted
 * and changes nothing, except that what it spent is spent. The verdict tells the worker whether to go on. `changes` is
 * there where a runner reports: then nothing is believed that can be found out. The worker in this process is believed.
 */
export async function reportWork(
  ctx: Context,
  order: OrderRef,
  { number, event: written, signer }: Report,
  rates: Rates,
  changes: ChangeReader | null = null,
): Promise<Verdict> {
  const event = await believed(ctx, order, sanitizeJson(written), changes)
  const envelope = event.type === 'gates_ran' && event.envelope
  const signed =
    event.type === 'gates_ran' && envelope ? await readSigned(ctx, envelope, event.statements) : null
  return change<Verdict>(ctx, async (tx) => {
    const main = event.type === 'main_checked' ? await lockTeamOf(ctx, tx, order.runId) : null
    const run = await lockRun(tx, ctx.workspaceId, { id: order.runId })
    if (order.fence > run.state.fence) throw new DomainError('conflict', 'There is no such work order yet.')
    const isCurrent = order.fence === run.state.fence && run.state.phase === 'working'
    if (await isReported(tx, ctx.workspaceId, run.id, order.fence, number)) {
      return { value: isCurrent ? 'go_on' : 'stop', audit: [] }
    }
    const reported = { fence: order.fence, report: number }
    const price = event.type === 'usage' ? priceOf(event, rates) : null
    if (price) {
      const payer = { id: run.id, teamId: run.team.id, attempt: run.state.attempt, isCurrent }
      await recordSpend(ctx, tx, payer, reported, event as Usage, price)
    }
    if (!isCurrent) {
      // A late bill can be the one that uses up the budget of the order under way.
      if (price && run.state.phase === 'working' && isBudgetReached(run.state, price.micros)) {
        const stopped = await advance(ctx, tx, run, billOf(price), reported)
        return { value: 'stop', audit: stopped!.entries }
      }
      await note(ctx, tx, run, { ...event, outdated: true }, reported)
      return { value: 'stop', audit: [] }
    }

    if (event.type === 'progress' || event.type === 'proposal_made') {
      await note(ctx, tx, run, event, reported)
      await renewOrder(ctx, tx, run.id)
      const audit = event.type === 'proposal_made' ? await propose(ctx, tx, run.team, event.proposal) : []
      return { value: 'go_on', audit }
    }
    await requireFiles(tx, ctx.workspaceId, run.id, filesOf(event))
    const evidence =
      signed && event.type === 'gates_ran' ? acceptEvidence(signed, signer, knownOf(run, event)) : null
    const advanced = await advance(
      ctx,
      tx,
      run,
      price ? billOf(price) : withNoted(run, event as CheckedReport, evidence),
      reported,
    )
    if (!advanced) {
      throw new DomainError('conflict', `\`${event.type}\` cannot come while the run is ${run.state.stage}.`)
    }
    if (event.type === 'gates_ran' && event.envelope) {
      const { envelope, statements } = event
      const { attempt, memory } = run.state
      const repository = memory.parts.length > 0 ? memory.at! : ''
      await recordEvidence(ctx, tx, signer!, { runId: run.id, attempt, repository }, { envelope, statements })
    }
    const noted = main && event.type === 'main_checked' ? await noteFound(ctx, tx, main, run, event) : []
    return verdictOf(run, advanced.state.fence, [...noted, ...advanced.entries])
  })
}

/** What of a report counts: with a reader of changes at hand, what it finds rather than what is said. */
async function believed(
  ctx: Context,
  order: OrderRef,
  event: WorkEvent,
  changes: ChangeReader | null,
): Promise<WorkEvent | CheckedReport> {
  if (!changes || event.type === 'usage' || event.type === 'progress' || event.type === 'proposal_made')
    return event
  return sanitizeJson(await checkReport(ctx, order, event, changes))
}

const mostNoted = 100

/** What its gates made a runner say of the change: fewer tests, another definition of a gate, and how main was. */
function withNoted(
  { state, policy }: LockedRun,
  told: CheckedReport,
  evidence: RunEvidence | null,
): CheckedReport {
  if (told.type !== 'gates_ran') return told
  const reported = withReview(told, policy)
  const { parts, at } = state.memory
  const event =
    parts.length > 0
      ? { ...reported, gates: reported.gates.map((gate) => ({ ...gate, name: `${at}: ${gate.name}` })) }
      : reported
  if (!evidence) return event
  const known = new Set(state.memory.findings)
  const failed = evidence.gates.filter(({ name, onBase }) => onBase === 'failed' && name !== specGate)
  const onBase = {
    failed: failed.map(({ name }) => name),
    unproven: failed.filter(({ result }) => result !== 'passed').map(({ name }) => name),
  }
  const noted = evidence.diff.findings.filter((finding) => !known.has(finding))
  return { ...event, noted: noted.slice(0, mostNoted), onBase }
}

type GatesRan = Extract<CheckedReport, { type: 'gates_ran' }>

/** A review that the policy wants and the runner says nothing of is not passed over in silence. */
function withReview(event: GatesRan, { secondReview }: LockedRun['policy']): GatesRan {
  const isWanted = secondReview.by !== 'off' && event.gates.every(({ result }) => result !== 'failed')
  if (!isWanted || event.evidence.secondReview) return event
  const says = 'Not reviewed: the runner didn’t report a second review. Upgrade the runner.'
  const missing = { result: 'not_reviewed', agent: null, model: null, says, findings: [] } as const
  return { ...event, evidence: { ...event.evidence, secondReview: { ...missing, findings: [] } } }
}

async function noteFound(
  ctx: Context,
  tx: Tx,
  team: NonNullable<Awaited<ReturnType<typeof lockTeamById>>>,
  run: LockedRun,
  event: Extract<WorkEvent, { type: 'main_checked' }>,
): Promise<Entry[]> {
  const found = { ...mainFound(run, event), repository: run.state.memory.at }
  const noted = found.state === 'red' || team.mainRedSince ? await noteMain(ctx, tx, team, found) : []
  await noteMainLook(tx, ctx.workspaceId, team.id, run.state.memory.at, found)
  return noted
}

/** What a runner found on the main branch, before the merge of its run or after it. */
function mainFound(
  { key, state: { memory, pullRequest: whole } }: LockedRun,
  { state, findings, isOlder }: Extract<WorkEvent, { type: 'main_checked' }>,
): MainState & { commit: string } {
  const commit = memory.merged ?? memory.looksAt ?? 'unknown'
  if (state === 'green') return { state, commit }
  const pullRequest = memory.parts.find(({ name }) => name === memory.at)?.pullRequest ?? whole
  const isOurs = memory.merged !== null && !isOlder && pullRequest !== null
  return {
    ...{ state, commit, findings },
    ...(isOurs ? { merge: { run: key, pullRequest: pullRequest.number } } : {}),
  }
}

/** The files of it that were uploaded before: the next order, or a person who looks at it, needs them. */
function filesOf(event: WorkEvent): string[] {
  if (event.type === 'spec_pinned') return [event.spec.files]
  if (event.type === 'gates_ran') return event.envelope ? [event.envelope, ...(event.statements ?? [])] : []
  if (event.type === 'question_asked')
    return [event.work?.bundle, ...bundlesOf(event.others)].filter((file) => file !== undefined)
  if (event.type === 'change_ready')
    return [event.work?.bundle, event.diff, ...bundlesOf(event.others)].filter((file) => file !== undefined)
  return []
}

const bundlesOf = (others: readonly { work: { bundle: string } }[] = []) =>
  others.map(({ work }) => work.bundle)

/** Null where one of them is missing: the runner that still has the order is told. */
async function readSigned(ctx: Context, envelope: string, statements: string[] = []) {
  try {
    const [whole, ...attached] = await Promise.all(
      [envelope, ...statements].map((file) => readFile(ctx, file)),
    )
    return { envelope: whole!, statements: attached }
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}

const knownOf = (
  { key, story, policy, state }: LockedRun,
  { gates, evidence }: Extract<WorkEvent, { type: 'gates_ran' }>,
): Known => ({
  story: story.key,
  run: key,
  attempt: state.attempt,
  base: state.memory.base,
  head: state.memory.work?.head ?? null,
  policyVersion: policy.version,
  spec: specInTurn(state.memory, state.memory.spec)?.files ?? null,
  diff: state.memory.derived ? state.memory.derived.toldDiff : state.memory.diff,
  gates,
  evidence,
  policy: orderedPolicy(policy),
})

/** Lock order: the team before the run. */
async function lockTeamOf(ctx: Context, tx: Tx, runId: string) {
  const teamId = await selectTeamOf(tx, ctx.workspaceId, { id: runId })
  return teamId && lockTeamById(tx, ctx.workspaceId, teamId)
}

const billOf = ({ micros }: { micros: number }) => ({ type: 'usage', micros }) as const

const verdictOf = (run: LockedRun, fence: number, audit: Entry[]): { value: Verdict; audit: Entry[] } => ({
  value: fence === run.state.fence ? 'go_on' : 'stop',
  audit,
})

async function note(
  ctx: Context,
  tx: Tx,
  run: LockedRun,
  { type, ...data }: { type: string; outdated?: true },
  reported: { fence: number; report: number },
): Promise<void> {
  const at = ctx.clock.now()
  await appendEvent(
    tx,
    ctx.workspaceId,
    { id: run.id, version: run.version + 1, isAlive: !('outdated' in data) },
    { at, type, data, ...reported },
  )
}
