import type { DecisionInFull, DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import type { Presence } from '@signalbox/contract/presence.ts'
import { counted } from '../browser/formats.ts'

/** What is said about a decision in addition to its own words. */

const hour = 3_600_000

export interface Expiry {
  text: string
  /** Less than a day is left. */
  isSoon: boolean
}

/** How long there is to answer. */
export function expiryOf(expiresAt: string | null, now: number): Expiry | null {
  if (expiresAt === null) return null
  const left = new Date(expiresAt).getTime() - now
  if (left <= 0) return { text: 'expired', isSoon: true }
  const isSoon = left < 24 * hour
  if (left < hour) return { text: `${Math.max(1, Math.round(left / 60_000))} min left`, isSoon }
  if (left < 48 * hour) return { text: `${Math.round(left / hour)} h left`, isSoon }
  return { text: `${counted(Math.round(left / (24 * hour)), 'day')} left`, isSoon }
}

const presenceWords: Record<Presence, string> = {
  session: '',
  passkey: ', signed in with a passkey',
  chat: '',
  token: ', with a token',
}

const channelWords: Record<NonNullable<DecisionRow['resolvedVia']>, string> = {
  app: 'in the app',
  slack: 'in Slack',
  mcp: 'over MCP',
  api: 'over the API',
}

type Closed = Pick<
  DecisionInFull,
  'status' | 'options' | 'resolution' | 'resolvedBy' | 'resolvedVia' | 'resolvedPresence' | 'runKey'
>

/** Why a decision takes no answer any more, in a sentence; null while it does. */
export function closedSentence(decision: Closed): string | null {
  switch (decision.status) {
    case 'pending':
      return null
    case 'resolved': {
      const { resolution, resolvedBy, resolvedVia, resolvedPresence } = decision
      const label = decision.options.find(({ id }) => id === resolution?.optionId)?.label
      const where = resolvedVia ? ` ${channelWords[resolvedVia]}` : ''
      const how = resolvedPresence ? presenceWords[resolvedPresence] : ''
      return `${resolvedBy ?? 'Someone'} answered “${label ?? resolution?.optionId}”${where}${how}.`
    }
    case 'expired':
      return decision.runKey
        ? 'No one answered in time, so the run failed.'
        : 'No one answered in time, so nothing was started.'
    case 'cancelled':
      return decision.runKey
        ? 'No answer is needed anymore: the run was stopped, or its story was moved.'
        : 'No answer is needed anymore: the issue is gone.'
    case 'superseded':
      return 'The run asked again, and a newer decision replaced this one.'
  }
}

export const authorityWords: Record<DecisionRow['authority'], string> = {
  member: 'Any member can answer',
  admin: 'Only owners and admins can answer',
  owner: 'Only owners can answer',
}

const effectWords: Record<DecisionPage['effects'][number]['type'], string> = {
  implementation_started: 'Implementation starts',
  run_continued: 'The run continues',
  answer_recorded: 'The answer goes to the coding agent that asked',
  exception_granted: 'The exception applies to this run',
  budget_raised: 'The budget is raised',
  attempt_started: 'A new attempt starts',
  spec_restored: 'The acceptance spec is restored',
  run_ended: 'The run has ended',
  story_returned: 'The story is back in Backlog',
  merge_started: 'The pull request is being merged',
  revert_started: 'A revert pull request is being opened',
  merge_kept: 'The merge stays',
  story_filed: 'A story is filed',
  requirement_submitted: 'The proposal becomes a requirement',
  proposal_declined: 'The proposal is declined and won’t be made again',
  decision_raised: 'A follow-up question was asked',
}

export const effectSentence = ({ type, status }: DecisionPage['effects'][number]): string =>
  status === 'failed' ? `${effectWords[type]}: this step failed` : effectWords[type]

/** As the server counts them: whole characters. */
export const lengthOf = (note: string): number => [...note].length
