import type { EffectData } from '../outbox/effect.ts'
import type { Performer } from '../outbox/perform.ts'
import { findPlace } from '../places/find.ts'
import { plainLine, unaddressed } from '../plain-text.ts'
import type { Chat } from '../ports/chat.ts'
import { settleTelling } from '../tellings/settle.ts'
import { appendToTimeline } from '../timeline/append.ts'
import type { Outcome } from './finding.ts'
import { aboutLine, alertLines, type Links, linkTo, resolutionLines, timeLine } from './message-lines.ts'
import { selectTold, type ToldIncident } from './store.ts'

/** Posts what has become of an incident in a place of its team: one thread for the incident, from opened to resolved. */
export const postIncident =
  (chat: Chat | null, links: Links): Performer<'post_incident'> =>
  async (ctx, effect) => {
    const { incident: id, what, place: placeId } = effect.data
    const [incident, place] = await Promise.all([
      selectTold(ctx.db, ctx.workspaceId, id),
      findPlace(ctx.db, ctx.workspaceId, placeId),
    ])
    // The team has left the place, or nobody is there to be told.
    if (!incident || !place)
      return {
        async settle(tx) {
          await settleTelling(ctx, tx, effect.id, { state: 'skipped' })
          return []
        },
      }
    if (!chat)
      return {
        async settle(tx) {
          await settleTelling(ctx, tx, effect.id, {
            state: 'refused',
            reason: 'No chat tool is connected.',
          })
          return []
        },
      }
    const text = [
      ...unaddressed(texts[what](incident, effect.data.text ?? '').join('\n')).split('\n'),
      linkTo(incident, links),
    ]
    await chat.post({ place, thread: incident.key, key: effect.key, text: text.join('\n') })
    return {
      settle: async (tx) => {
        const said = { type: 'posted', text: `Posted in ${plainLine(place.name, 100)}: ${what}`, data: {} }
        await appendToTimeline(ctx, tx, id, said)
        await settleTelling(ctx, tx, effect.id, { state: 'sent' })
        return []
      },
    }
  }

/** Words of alerts, of the code and of people stand in these; what they could do to a reader is taken out last. */
const texts: Record<EffectData['post_incident']['what'], (incident: ToldIncident, done: string) => string[]> =
  {
    opened: (incident) => [
      `${incident.key} opened: ${plainLine(incident.title)}`,
      aboutLine(incident),
      ...alertLines(incident),
      ...notified(incident),
    ],
    found: (incident) => [`${incident.key}: investigation result`, ...findingLines(incident.finding)],
    updated: ({ key }, done) => [`${key}: ${plainLine(done, longestAct)}`],
    resolved: (incident) => [
      `${incident.key} resolved: ${plainLine(incident.title)}`,
      aboutLine(incident),
      ...resolutionLines(incident),
      timeLine(incident),
      ...notified(incident),
    ],
  }

const notified = ({ members }: ToldIncident): string[] =>
  members.length > 0 ? [`Notified: ${members.map((name) => plainLine(name, 100)).join(', ')}.`] : []

const longestAct = 1_000
const mostEvidence = 10

function findingLines(finding: ToldIncident['finding']): string[] {
  if (!finding) return []
  const { summary, outcome, confidence, evidence } = finding
  const more = evidence.length - mostEvidence
  return [
    plainLine(summary),
    `Outcome: ${outcomes[outcome]}. Confidence: ${Math.round(confidence * 100)} %.`,
    ...(evidence.length > 0 ? ['Evidence:'] : []),
    ...evidence.slice(0, mostEvidence).map((piece) => `- ${plainLine(piece)}`),
    ...(more > 0 ? [`and ${more} more`] : []),
  ]
}

const outcomes: Record<Outcome, string> = {
  suspect_merge: 'likely caused by a merge',
  code: 'caused by code, no clear merge',
  not_code: 'cause outside the code',
  unknown: 'unknown cause',
}
