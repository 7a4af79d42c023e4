import { microsPerCent } from '@signalbox/contract/money.ts'
import type { RunnerEvent, SurveyProposal } from '@signalbox/contract/runner/messages.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import type { OrderRef, Proposal, Verdict } from '../../ports/work.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { propose } from '../lifecycle/propose.ts'
import { type MainState, noteMain } from '../lifecycle/report-main.ts'
import { appendEvent, isReported, selectTeamOf, updateAgent } from '../machine/run-store.ts'
import { sanitizeJson } from '../machine/sanitize-json.ts'
import { priceOf, type Rates, recordSpend } from '../orders/bill.ts'
import { renewOrder } from '../orders/orders.ts'
import { endSurvey } from './end-survey.ts'
import { type LockedSurvey, lockSurvey, selectKnownProposals, updateCommit } from './survey-store.ts'

/** How far back a proposal is remembered by its title; by its fingerprint it always is. */
const mostRemembered = 1_000

/**
 * Takes what comes back from a survey, by the rules of every work order: a report that arrives twice counts once, one of
 * an outdated order changes nothing, and what it spent is spent.
 */
export async function reportSurvey(
  ctx: Context,
  order: OrderRef,
  { number, event: written }: { number: number; event: RunnerEvent },
  rates: Rates,
): Promise<Verdict> {
  const event = sanitizeJson(written)
  return change<Verdict>(ctx, async (tx) => {
    // Lock order: the team before the run.
    if (event.type === 'main_checked') await lockTeamOf(ctx, tx, order.runId)
    const before = await lockSurvey(tx, ctx.workspaceId, order.runId)
    if (!before) throw notFound('run', order.runId)
    if (order.fence > before.fence) throw new DomainError('conflict', 'There is no such work order yet.')
    const isCurrent = order.fence === before.fence && before.phase === 'working'
    if (await isReported(tx, ctx.workspaceId, before.id, order.fence, number))
      return { value: isCurrent ? 'go_on' : 'stop', audit: [] }
    const reported = { fence: order.fence, report: number }
    const price = event.type === 'usage' ? priceOf(event, rates) : null
    if (price && event.type === 'usage') {
      const { id, attempt, team } = before
      await recordSpend(ctx, tx, { id, attempt, teamId: team.id, isCurrent }, reported, event, price)
    }
    const survey = { ...before, costMicros: before.costMicros + (price?.micros ?? 0) }
    const { type, ...data } = event
    await appendEvent(
      tx,
      ctx.workspaceId,
      { id: survey.id, version: survey.version + 1, isAlive: isCurrent },
      { at: ctx.clock.now(), type, data: isCurrent ? data : { ...data, outdated: true }, ...reported },
    )
    // A late bill can be the one that uses up the budget of the order under way.
    if (price && survey.phase === 'working' && survey.costMicros >= survey.budgetCents * microsPerCent)
      return { value: 'stop', audit: await overBudget(ctx, tx, survey) }
    if (!isCurrent) return { value: 'stop', audit: [] }
    return take(ctx, tx, survey, event)
  })
}

async function lockTeamOf(ctx: Context, tx: Tx, runId: string): Promise<void> {
  const teamId = await selectTeamOf(tx, ctx.workspaceId, { id: runId })
  if (teamId) await lockTeamById(tx, ctx.workspaceId, teamId)
}

const overBudget = (ctx: Context, tx: Tx, survey: LockedSurvey): Promise<Entry> =>
  endSurvey(ctx, tx, survey, {
    ...{ status: 'failed', failureClass: 'budget' },
    error: 'The budget of the survey was used up before it came to a result.',
  })

async function take(
  ctx: Context,
  tx: Tx,
  survey: LockedSurvey,
  event: RunnerEvent,
): Promise<{ value: Verdict; audit: Entry | Entry[] }> {
  const { workspaceId } = ctx
  if (event.type === 'surveyed') return { value: 'stop', audit: await conclude(ctx, tx, survey, event) }
  if (event.type === 'failed') {
    const { failureClass, error } = event
    return {
      value: 'stop',
      audit: await endSurvey(ctx, tx, survey, { status: 'failed', failureClass, error }),
    }
  }
  if (event.type === 'main_checked') return { value: 'stop', audit: await checked(ctx, tx, survey, event) }
  if (event.type === 'begun') {
    await updateAgent(tx, workspaceId, survey.id, survey.attempt, event)
    await updateCommit(tx, workspaceId, survey.id, event.base)
  } else if (!['usage', 'progress', 'session_known'].includes(event.type))
    throw new DomainError('conflict', `\`${event.type}\` cannot come from a survey.`)
  await renewOrder(ctx, tx, survey.id)
  return { value: 'go_on', audit: [] }
}

/** What the gates came to on a main branch that people have pushed to: no merge is blamed for it. */
async function checked(
  ctx: Context,
  tx: Tx,
  survey: LockedSurvey,
  { state, findings }: Extract<RunnerEvent, { type: 'main_checked' }>,
): Promise<Entry[]> {
  const { checks, repository } = survey
  if (!checks) throw new DomainError('conflict', 'This order has no main branch to check.')
  const main: MainState =
    state === 'green'
      ? { state, commit: checks, repository }
      : { state, commit: checks, findings, repository }
  const noted = await noteMain(ctx, tx, (await lockTeamById(tx, ctx.workspaceId, survey.team.id))!, main)
  return [await endSurvey(ctx, tx, survey, { status: 'succeeded', commit: checks }), ...noted]
}

/** Asks people about what was found, and about nothing that they were asked before. */
async function conclude(
  ctx: Context,
  tx: Tx,
  survey: LockedSurvey,
  { commit, proposals, touched }: Extract<RunnerEvent, { type: 'surveyed' }>,
): Promise<Entry[]> {
  const known = await selectKnownProposals(tx, ctx.workspaceId, survey.team.id, mostRemembered)
  const fingerprints = new Set(known.map(({ fingerprint }) => fingerprint))
  const titles = new Set(known.map(({ title }) => inWords(title)))
  const raised: Entry[][] = []
  for (const proposal of proposals) {
    const { fingerprint, title } = proposal
    if (fingerprints.has(fingerprint) || titles.has(inWords(title))) continue
    fingerprints.add(fingerprint)
    titles.add(inWords(title))
    const entries = await propose(ctx, tx, survey.team, filed(proposal)).catch((error: Error): Entry[] => {
      // One that cannot be filed keeps no other from being asked about.
      if (error instanceof DomainError) return []
      throw error
    })
    if (entries.length > 0) raised.push(entries)
  }
  const counts = { proposals: raised.length, leftOut: proposals.length - raised.length }
  const ended = await endSurvey(ctx, tx, survey, { status: 'succeeded', commit, touched, ...counts })
  return [ended, ...raised.flat()]
}

/** No one but a person says that something is urgent. */
const filed = ({ story, ...proposal }: SurveyProposal): Proposal => ({
  ...proposal,
  story: story && { ...story, classOfService: 'standard' },
})

/** A title that differs in case or punctuation alone is the same. */
const inWords = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
