import { isTestIncident } from '@signalbox/contract/test-alert.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { proposeOnIncident } from '../../engine/lifecycle/propose.ts'
import type { Entry } from '../../record/audit/change.ts'
import type { Revert } from '../../work/decisions/facts.ts'
import { oneLine } from '../../work/decisions/quote.ts'
import type { MergedRun } from '../../work/runs/list-merged.ts'
import { fileStory } from '../../work/stories/file.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { appendToTimeline, recordStep } from '../../work/timeline/append.ts'
import type { QuotedAlert } from '../alerts/read-texts.ts'
import { declinedBefore } from './declined-before.ts'
import { type Finding, firstAlert, type KnownMerge } from './finding.ts'
import { fixStory } from './fix-story.ts'
import { asked, proposeStory, shortened } from './propose-story.ts'
import { type InvestigatedIncident, selectUnderWay } from './store.ts'
import type { ShownSuspect } from './suspect.ts'

const mostInCommon = 10

type Incident = InvestigatedIncident & { status: 'open' | 'resolved' }

/**
 * Acts on a finding: asks whether to revert a merge, starts a fix or asks about one, or asks a person to act. Does
 * nothing if the service is only observed or the incident is already over.
 */
export async function actOnFinding(
  ctx: Context,
  tx: Tx,
  incident: Incident,
  finding: Finding,
  alerts: readonly QuotedAlert[],
  shown: ShownSuspect & { run: MergedRun | null },
): Promise<Entry[]> {
  const { outcome, suspect } = finding
  if (outcome === 'unknown') return []
  const whyNot = isTestIncident(incident)
    ? 'The incident is a test, so nothing is started or proposed'
    : incident.service.observeOnly
      ? 'The service is set to observe only, so nothing is started or proposed'
      : incident.status === 'resolved'
        ? 'The incident is already resolved, so nothing is started or proposed'
        : null
  if (whyNot) return say(ctx, tx, incident, 'nothing_done', whyNot)
  if (suspect) {
    if (shown.run?.isQuestioned)
      return say(ctx, tx, incident, 'nothing_done', `${suspect.run} already asks whether to revert its merge`)
    return proposeRevert(ctx, tx, incident, finding, suspect, shown, alerts)
  }
  const underWay = await selectUnderWay(tx, ctx.workspaceId, incident.id)
  if (underWay)
    return say(
      ctx,
      tx,
      incident,
      'nothing_done',
      `${underWay} is already open for the same problem, from an earlier incident`,
    )
  if (outcome === 'code' && incident.service.startFixes) return startFix(ctx, tx, incident, finding, alerts)
  const declined = await declinedBefore(ctx, tx, incident.id, finding, alerts)
  if (declined) {
    const { text, decision } = declined
    await appendToTimeline(ctx, tx, incident.id, { type: 'declined_before', text, data: { decision } })
    return []
  }
  return (await proposeStory(ctx, tx, incident, finding, alerts))?.entries ?? []
}

async function say(ctx: Context, tx: Tx, { id }: Incident, type: string, text: string): Promise<Entry[]> {
  await appendToTimeline(ctx, tx, id, { type, text, data: {} })
  return []
}

async function proposeRevert(
  ctx: Context,
  tx: Tx,
  incident: Incident,
  finding: Finding,
  suspect: KnownMerge,
  { run, diff, page }: ShownSuspect & { run: MergedRun | null },
  alerts: readonly QuotedAlert[],
): Promise<Entry[]> {
  const { team } = incident
  const { repository, commit, pullRequest } = suspect
  const title = shortened(oneLine(suspect.title)) || `Commit ${commit.slice(0, 12)}`
  const findings = [
    finding.summary,
    `Confidence: ${Math.round(finding.confidence * 100)}%`,
    ...finding.evidence,
    `Commit ${commit}${repository ? ` of ${repository}` : ''}${suspect.run ? `, merged by ${suspect.run}` : ''}`,
  ].join('\n')
  const requested =
    run?.pullRequest ??
    (page && pullRequest !== null ? { number: pullRequest, url: page.pullRequest(pullRequest) } : null)
  const revert: Revert = { incident: incident.id, team: team.slug, repository, commit, pullRequest, title }
  const raised = await proposeOnIncident(
    ctx,
    tx,
    team,
    {
      // The merge itself: another incident that points to it asks nothing new.
      fingerprint: `${repository ?? ''} ${commit}`,
      title,
      body: findings,
      story: null,
      incidentId: incident.id,
      alertFingerprints: [],
    },
    {
      kind: 'revert_approval',
      facts: {
        ...{ incident: incident.key, findings, revert, pullRequest: requested },
        merge: {
          ...suspectOf(suspect, finding, firstAlert(alerts, incident.openedAt)),
          ...{ url: page?.commit(commit) ?? null, diff },
        },
      },
    },
  )
  if (!raised)
    return say(
      ctx,
      tx,
      incident,
      'nothing_done',
      'A revert of this merge was already proposed, so it isn’t proposed again',
    )
  await asked(ctx, tx, incident.id, raised.key, 'whether to revert the merge')
  return raised.entries
}

const suspectOf = ({ author, mergedAt, paths, run }: KnownMerge, { evidence }: Finding, first: Date) => ({
  author,
  minutes: Math.max(0, Math.round((first.getTime() - mergedAt.getTime()) / 60_000)),
  common: paths.filter((path) => evidence.some((line) => line.includes(path))).slice(0, mostInCommon),
  run,
})

async function startFix(
  ctx: Context,
  tx: Tx,
  incident: Incident,
  finding: Finding,
  alerts: readonly QuotedAlert[],
): Promise<Entry[]> {
  const team = (await lockTeamById(tx, ctx.workspaceId, incident.team.id))!
  const proposed = fixStory(incident, finding, alerts)
  const story = await fileStory(ctx, tx, team, proposed, { column: 'ready', draft: false })
  await ctx.queue.send(tx, { task: 'team', workspaceId: ctx.workspaceId, id: team.id })
  const entries = await recordStep(ctx, tx, incident.id, `Started an urgent fix: ${story.key}`, {
    change: 'fix_started',
    story: story.key,
  })
  return [
    {
      event: 'story_changed',
      team: team.slug,
      entity: { type: 'story', id: story.key, name: proposed.title },
      details: {
        change: 'filed_for_incident',
        incident: incident.key,
        classOfService: proposed.classOfService,
        column: 'ready',
      },
    },
    ...entries,
  ]
}
