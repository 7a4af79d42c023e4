import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { DomainError, notFound } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeamById } from '../../work/teams/lock.ts'
import { lockIncident } from '../../work/timeline/append.ts'
import { readAlertTexts } from '../alerts/read-texts.ts'
import type { Finding } from './finding.ts'
import { isCode, proposeStory } from './propose-story.ts'
import {
  type InvestigatedIncident,
  selectIncidentId,
  selectInvestigated,
  selectPendingQuestion,
  selectUnderWay,
} from './store.ts'

const mostAlerts = 200

/** Asks about a fix that was declined before, because a person wants it asked. Returns the key of the decision. */
export async function askAnyway(ctx: Context, key: string): Promise<string> {
  requireRole(ctx, 'member', 'ask about a fix')
  return change(ctx, async (tx) => {
    const id = await selectIncidentId(tx, ctx.workspaceId, key)
    if (!id) throw notFound('incident', key)
    const { team } = (await selectInvestigated(tx, ctx.workspaceId, id))!
    await lockTeamById(tx, ctx.workspaceId, team.id)
    const { status } = (await lockIncident(tx, ctx.workspaceId, id))!
    const incident = (await selectInvestigated(tx, ctx.workspaceId, id))!
    const finding = askable({ ...incident, status })
    const underWay =
      (await selectPendingQuestion(tx, ctx.workspaceId, id)) ??
      (await selectUnderWay(tx, ctx.workspaceId, id))
    if (underWay) throw new DomainError('conflict', `${underWay} is already about this.`)
    const alerts = await readAlertTexts(ctx, id, mostAlerts)
    const raised = (await proposeStory(ctx, tx, incident, finding, alerts, newId(ctx.clock.now())))!
    return { value: raised.key, audit: raised.entries }
  })
}

/** What there is to ask about; a cause outside the code is looked at only while it lasts. */
function askable({
  key,
  status,
  finding,
  service,
}: InvestigatedIncident & { status: 'open' | 'resolved' }): Finding {
  const refuse = (why: string) => new DomainError('conflict', why)
  if (!finding) throw refuse(`${key} is still being investigated.`)
  if (finding.outcome !== 'code' && finding.outcome !== 'not_code')
    throw refuse(`The investigation of ${key} found nothing that a story could fix.`)
  if (service.observeOnly) throw refuse(`${service.name} is set to observe only, so nothing is proposed.`)
  if (status === 'resolved' && !isCode(finding)) throw refuse(`${key} is resolved.`)
  return finding
}
