import { plainLine, withoutMentions } from '../../plain-text.ts'
import type { Chat, ChatMessage } from '../../ports/chat.ts'
import type { EffectData } from '../../record/outbox/effect.ts'
import type { Performer } from '../../record/outbox/perform.ts'
import { type Opening, openConnection } from '../../tools/connections/open.ts'
import { parkWhenRefused } from '../../tools/connections/park-when-refused.ts'
import { withChannelRateLimit } from '../../work/chat/channel-rate-limit.ts'
import { isGoneThere } from '../../work/chat/is-gone-there.ts'
import { findShown, keepMessage } from '../../work/chat/messages.ts'
import { digestOf } from '../../work/chat/show.ts'
import { appendToTimeline } from '../../work/timeline/append.ts'
import { settleNotification, type Outcome as Told } from '../incident-notifications/settle.ts'
import type { Outcome } from './finding.ts'
import { aboutLine, alertLines, type Links, linkTo, resolutionLines, timeLine } from './message-lines.ts'
import { type IncidentSummary, selectIncidentSummary } from './store.ts'

/**
 * Shows an incident in a place of its team: one message, kept current from opened to resolved, and under it how it
 * develops, step by step.
 */
export const postIncident =
  (chat: Chat | null, links: Links, { secrets }: Pick<Opening, 'secrets'>): Performer<'post_incident'> =>
  async (ctx, effect) => {
    const { incident: id, what, place: placeId } = effect.data
    const settled = (outcome: Told) => ({
      isMoot: true as const,
      async settle(tx: Parameters<typeof settleNotification>[1]) {
        await settleNotification(ctx, tx, effect.id, outcome)
        return []
      },
    })
    const incident = await selectIncidentSummary(ctx.db, ctx.workspaceId, id)
    const shown = incident && (await findShown(ctx.db, ctx.workspaceId, placeId, incident.key))
    // The team has left the place, or there is no one there to tell.
    if (!incident || !shown) return settled({ state: 'skipped' })
    if (!chat || !shown.connectionId)
      return settled({ state: 'refused', reason: 'No chat tool is connected.' })
    const connection = await openConnection({ db: ctx.db, secrets }, ctx.workspaceId, shown.connectionId)
    const channel = { connectionId: connection.id, channel: shown.channel }
    const reached = { connectionId: connection.id, place: `channel/${shown.channel}` }
    return parkWhenRefused(ctx, effect, reached, () =>
      withChannelRateLimit(ctx, chat, channel, effect.key, async () => {
        // What has happened to it while others had their turn.
        const [now, then] = await Promise.all([
          selectIncidentSummary(ctx.db, ctx.workspaceId, id),
          findShown(ctx.db, ctx.workspaceId, placeId, incident.key),
        ])
        if (!now || !then) return { hasSpoken: false, performed: settled({ state: 'skipped' }) }
        const current = incidentMessage(now, links)
        const isCurrent = then.shown && digestOf(current).equals(then.shown)
        const place = { channel: then.channel, mayBeThere: effect.attempts > 1 }
        let parent = then.message
        try {
          if (parent && !isCurrent) await chat.update(connection, then.channel, parent, current)
          const isNew = parent === null
          parent ??= await chat.post(connection, {
            ...{ ...place, key: `incident/${id}/${placeId}`, message: current, under: null },
          })
          if (!isNew || what !== 'opened')
            await chat.post(connection, {
              ...{ ...place, key: effect.key, under: parent },
              message: stepMessage(texts[what](now, effect.data.text ?? '')),
            })
        } catch (error) {
          if (!isGoneThere(error)) throw error
          const { message: reason } = error as Error
          return { hasSpoken: true, performed: settled({ state: 'refused', reason }) }
        }
        const row = { placeId, subject: incident.key, message: parent, shown: digestOf(current) }
        return {
          hasSpoken: true,
          performed: {
            settle: async (tx) => {
              await keepMessage(tx, ctx.workspaceId, { ...row, at: ctx.clock.now() })
              const text = `Posted in ${plainLine(shown.placeName, 100)}: ${what}`
              await appendToTimeline(ctx, tx, id, { type: 'posted', text, data: {} })
              await settleNotification(ctx, tx, effect.id, { state: 'sent' })
              return []
            },
          },
        }
      }),
    )
  }

const mostAlertLinks = 3

/** The message about the incident in its current state. */
function incidentMessage(incident: IncidentSummary, links: Links): ChatMessage {
  const isOpen = incident.resolvedAt === null
  const [title = '', ...lines] = texts[isOpen ? 'opened' : 'resolved'](incident, '')
  const button = (id: string, label: string) => ({
    ...{ id: `${incident.key}/${id}`, label, explained: null, isRecommended: false },
  })
  return {
    ...stepMessage([title, ...lines]),
    buttons: isOpen
      ? [
          ...(incident.acknowledgedBy ? [] : [button('acknowledge', 'Acknowledge')]),
          button('take', 'Take'),
          button('resolve', 'Resolve'),
        ]
      : [],
    note: isOpen ? 'Reason, if you resolve it' : null,
    links: [
      { label: 'Open in Signalbox', url: linkTo(incident, links) },
      ...incident.alerts
        .flatMap((alert) => alert.links)
        .filter(({ url }) => /^https?:\/\//.test(url))
        .slice(0, mostAlertLinks)
        .map(({ label, url }) => ({ label: plainLine(label, 60) || 'Alert', url })),
    ],
    footer: isOpen && incident.acknowledgedBy ? `Acknowledged by ${incident.acknowledgedBy}.` : null,
  }
}

const stepMessage = ([title = '', ...lines]: string[]): ChatMessage => ({
  title: withoutMentions(title),
  body: lines.length > 0 ? [withoutMentions(lines.join('\n'))] : [],
  ...{ buttons: [], note: null, links: [], footer: null },
})

/** Words of alerts, of the code and of people are in these; what they could do to a reader is taken out last. */
const texts: Record<
  EffectData['post_incident']['what'],
  (incident: IncidentSummary, done: string) => string[]
> = {
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

const notified = ({ members }: IncidentSummary): string[] =>
  members.length > 0 ? [`Notified: ${members.map((name) => plainLine(name, 100)).join(', ')}.`] : []

const longestAct = 1_000
const mostEvidence = 10

function findingLines(finding: IncidentSummary['finding']): string[] {
  if (!finding) return []
  const { summary, outcome, confidence, evidence } = finding
  const more = evidence.length - mostEvidence
  return [
    plainLine(summary),
    `Outcome: ${outcomes[outcome]}. Confidence: ${Math.round(confidence * 100)}%.`,
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
