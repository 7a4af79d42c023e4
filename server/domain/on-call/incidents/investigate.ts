import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { History } from '../../ports/history.ts'
import { change, type Entry } from '../../record/audit/change.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { teamRepositories } from '../../work/repositories/of-team.ts'
import { listMerged } from '../../work/runs/list-merged.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { appendToTimeline, incidentUpdated, lockIncident } from '../../work/timeline/append.ts'
import { type QuotedAlert, readAlertTexts } from '../alerts/read-texts.ts'
import { actOnFinding } from './act-on-finding.ts'
import { announce } from './announce.ts'
import { type Finding, findingOf, firstAlert, windowHours } from './finding.ts'
import { planAlertUpdates } from './plan-alert-updates.ts'
import { findRecentMerges, type Looked } from './recent-merges.ts'
import { type InvestigatedIncident, insertFinding, selectInvestigated } from './store.ts'
import { lookAtSuspect, type ShownSuspect } from './suspect.ts'

const mostAlerts = 200
/** What of a suspect is kept: enough to see what it was about. */
const mostPathsKept = 50

/**
 * Investigates a newly opened incident, once. It runs outside any transaction and may take a while, but less than the
 * time for which the effect is held. Every step is recorded in the incident's timeline.
 */
export const investigateIncident =
  (history: History, { patienceMs = 20_000 } = {}): Performer<'investigate_incident'> =>
  async (ctx, effect) => {
    const { incident: id } = effect.data
    const incident = await selectInvestigated(ctx.db, ctx.workspaceId, id)
    if (!incident || incident.finding) return { settle: async () => [] }
    await begin(ctx, incident)
    const alerts = await readAlertTexts(ctx, id, mostAlerts)
    const { openedAt, service, team } = incident
    const since = new Date(firstAlert(alerts, openedAt).getTime() - windowHours * 3_600_000)
    const runs = await listMerged(ctx, team.id, since)
    const looked = await findRecentMerges(history, service.repositories, runs, {
      ...{ since, patienceMs, names: await namesOfFolders(ctx, team.id) },
    })
    const finding = findingOf({ alerts, merges: looked.merges, now: ctx.clock.now(), openedAt })
    const shown = await lookAtSuspect(ctx, history, team.id, finding.suspect, looked, patienceMs)
    return {
      lock: (tx) => lockTeamById(tx, ctx.workspaceId, team.id),
      settle: (tx) => conclude(ctx, tx, id, withUnread(finding, looked), alerts, looked, shown),
    }
  }

/** A folder of this machine goes by the name that the team gave it: its path tells a responder nothing. */
async function namesOfFolders(ctx: Context, teamId: string): Promise<Map<string, string>> {
  const known = await teamRepositories(ctx.db, ctx.workspaceId, teamId)
  return new Map(known.filter(({ host }) => host === 'local').map(({ address, name }) => [address, name]))
}

/** The first step can be seen while the others are taken. Begun again after a crash, it is not told again. */
async function begin(ctx: Context, { id, service }: InvestigatedIncident): Promise<void> {
  await change(ctx, async (tx) => {
    const held = await lockIncident(tx, ctx.workspaceId, id)
    if (!held || held.steps.includes('investigating')) return { value: undefined, audit: [] }
    const count = service.repositories.length
    const where =
      count === 0 ? 'by runs of the team' : `in ${count} ${count === 1 ? 'repository' : 'repositories'}`
    await appendToTimeline(ctx, tx, id, {
      type: 'investigating',
      text: `Checking merges from the last ${windowHours} hours ${where}`,
      data: { repositories: count },
    })
    if (held.status === 'open' && !service.observeOnly) await planAlertUpdates(ctx, tx, { id }, 'acknowledge')
    return { value: undefined, audit: [] }
  })
}

const withUnread = (finding: Finding, { unread }: Looked): Finding => ({
  ...finding,
  evidence: [...finding.evidence, ...unread.map((name) => `${name} could not be read`)],
})

async function conclude(
  ctx: Context,
  tx: Tx,
  id: string,
  finding: Finding,
  alerts: readonly QuotedAlert[],
  looked: Looked,
  shown: ShownSuspect,
): Promise<Entry[]> {
  const held = await lockIncident(tx, ctx.workspaceId, id)
  const { outcome, confidence, suspect } = finding
  const kept = {
    ...finding,
    suspect: suspect && { ...suspect, paths: suspect.paths.slice(0, mostPathsKept) },
  }
  if (!held || !(await insertFinding(tx, ctx.workspaceId, id, kept))) return []
  // Read the settings again: someone may have changed them during the investigation.
  const incident = (await selectInvestigated(tx, ctx.workspaceId, id))!
  await appendToTimeline(ctx, tx, id, ...looked.steps.map((text) => ({ type: 'looked', text, data: {} })), {
    type: 'found',
    text: finding.summary,
    data: { outcome, confidence },
  })
  const entry = incidentUpdated(held, {
    change: 'investigated',
    finding: outcome,
    confidence,
    ...(suspect ? { commit: suspect.commit, pullRequest: suspect.pullRequest, run: suspect.run } : {}),
  })
  const run = looked.runs.get(suspect?.run ?? '') ?? null
  const acted = await actOnFinding(ctx, tx, { ...incident, status: held.status }, finding, alerts, {
    run,
    ...shown,
  })
  await announce(ctx, tx, incident, 'found')
  return [entry, ...acted]
}
