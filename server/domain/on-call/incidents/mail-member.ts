import { findMember } from '../../accounts/workspaces/find-member.ts'
import { plainLine } from '../../plain-text.ts'
import type { Mailer } from '../../ports/mailer.ts'
import type { EffectData } from '../../record/outbox/effect.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import { settleNotification } from '../incident-notifications/settle.ts'
import { aboutLine, alertLines, type Links, linkTo, resolutionLines, timeLine } from './message-lines.ts'
import { type IncidentSummary, selectIncidentSummary } from './store.ts'

/** Tells a member by email that an incident opened or was resolved. Without a mailer, no one is mailed. */
export const mailMember =
  (mailer: Mailer | null, links: Links): Performer<'mail_member'> =>
  async (ctx, effect) => {
    const { incident: id, what, person } = effect.data
    const member = mailer && (await findMember(ctx.db, ctx.workspaceId, person))
    const incident = member && (await selectIncidentSummary(ctx.db, ctx.workspaceId, id))
    // Former members are told nothing about the workspace.
    if (!mailer || !member || !incident)
      return {
        async settle(tx) {
          await settleNotification(ctx, tx, effect.id, { state: 'skipped' })
          return []
        },
      }
    const mailed = await mailer.send({
      key: effect.key,
      to: { name: member.name, address: member.email },
      subject: `[${incident.key}] ${what}: ${plainLine(incident.title, 200)}`,
      text: textOf(incident, what, links),
    })
    const text = mailed.sent
      ? `Emailed ${member.name}: ${what}`
      : `The email to ${member.name} was rejected: ${mailed.reason}`
    return {
      settle: async (tx) => {
        await appendToTimeline(ctx, tx, id, { type: 'mailed', text, data: {} })
        await settleNotification(
          ctx,
          tx,
          effect.id,
          mailed.sent ? { state: 'sent' } : { state: 'refused', reason: mailed.reason },
        )
        if (mailed.sent) return []
        return [
          {
            event: 'incident_updated',
            result: 'failure',
            team: incident.team,
            entity: { type: 'incident', id: incident.key, name: incident.title },
            people: [member],
            details: { change: 'e-mail refused', member: member.name, reason: mailed.reason },
          },
        ]
      },
    }
  }

type What = EffectData['mail_member']['what']

const textOf = (incident: IncidentSummary, what: What, links: Links): string =>
  [
    `Incident ${incident.key} ${what === 'opened' ? 'opened' : 'resolved'}: ${plainLine(incident.title)}`,
    '',
    aboutLine(incident),
    timeLine(incident),
    ...(what === 'resolved' ? resolutionLines(incident) : []),
    '',
    ...alertLines(incident),
    '',
    linkTo(incident, links),
    '',
    `You’re receiving this because you’re notified about the service ${plainLine(incident.service)}.`,
    '',
  ].join('\n')
