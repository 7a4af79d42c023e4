import type { DecisionPage } from '@signalbox/contract/app/decisions.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { needsNote } from '@signalbox/contract/note-needed.ts'
import { moment, plainLine } from '../../plain-text.ts'
import type { ChatMessage } from '../../ports/chat.ts'

/** People stop reading longer messages; the rest is a click away. */
const mostReasoning = 2_500

/** A decision as shown in a channel: with buttons while it is pending, with its outcome afterwards. */
export function decisionMessage(
  { decision, consequences }: Pick<DecisionPage, 'decision' | 'consequences'>,
  { url, answeredBy }: { url: string; answeredBy: string | null },
): ChatMessage {
  const isPending = decision.status === 'pending'
  const about = [
    decision.story && `${decision.story.key} ${plainLine(decision.story.title)}`,
    decision.runKey,
  ]
  return {
    title: plainLine(`${decision.key}: ${decision.title}`, 150),
    body: [
      about.filter(Boolean).join(', '),
      isPending ? { markdown: cut(decision.body) } : outcomeOf(decision, answeredBy),
    ],
    buttons: isPending
      ? decision.options.map((option) => ({
          id: `${decision.key}/${option.id}`,
          label: option.label,
          explained: consequences.find(({ optionId }) => optionId === option.id)?.sentence ?? null,
          isRecommended: option.recommended,
        }))
      : [],
    note: isPending ? noteLabel(decision.options) : null,
    links: [{ label: 'Open in Signalbox', url }],
    footer: isPending ? waiting(decision) : null,
  }
}

/** Slack can't ask for it at one button and not at another: the label says which one refuses to go without. */
function noteLabel(options: Decision['options']): string {
  const asking = options.find(needsNote)
  return asking ? `Guidance (required for “${asking.label}”)` : 'Note (optional)'
}

const cut = (text: string): string =>
  text.length <= mostReasoning
    ? text
    : `${text.slice(0, mostReasoning).replace(/[\uD800-\uDBFF]$/, '')}… Open it in Signalbox to read the rest.`

const waiting = ({ authority, expiresAt }: DecisionPage['decision']): string => {
  const who = { member: 'Any member', admin: 'An owner or admin', owner: 'An owner' }[authority]
  return `${who} can answer${expiresAt ? ` until ${moment(new Date(expiresAt))}` : ''}.`
}

const channels = { app: 'in the app', slack: 'in Slack', mcp: 'through MCP', api: 'through the API' }

/** The outcome, in a sentence. */
export function outcomeOf(
  { status, resolution, resolvedVia, resolvedAt, options }: Decision,
  answeredBy: string | null,
): string {
  if (status === 'resolved') {
    const chosen = options.find(({ id }) => id === resolution?.optionId)?.label ?? resolution?.optionId
    const via = resolvedVia ? ` ${channels[resolvedVia]}` : ''
    const at = resolvedAt ? `, ${moment(new Date(resolvedAt))}` : ''
    const note = resolution?.note ? `\nNote: ${plainLine(resolution.note, 1_000)}` : ''
    return `${plainLine(answeredBy ?? 'Signalbox', 100)} chose “${chosen}”${via}${at}.${note}`
  }
  return {
    pending: 'It’s waiting for an answer.',
    expired: 'It expired without an answer.',
    cancelled: 'It was cancelled: there is nothing left to decide.',
    superseded: 'A newer decision replaced it.',
  }[status]
}
