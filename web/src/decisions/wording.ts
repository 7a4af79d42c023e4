import type { DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'

/** What is said about a decision besides its own words. */

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
  if (left <= 0) return { text: 'time is over', isSoon: true }
  const isSoon = left < 24 * hour
  if (left < hour) return { text: `${Math.max(1, Math.floor(left / 60_000))} min left`, isSoon }
  if (left < 48 * hour) return { text: `${Math.floor(left / hour)} h left`, isSoon }
  return { text: `${Math.floor(left / (24 * hour))} d left`, isSoon }
}

const channelWords: Record<NonNullable<DecisionRow['resolvedVia']>, string> = {
  app: 'in the app',
  slack: 'in Slack',
  mcp: 'through MCP',
  api: 'through the API',
}

type Closed = Pick<DecisionRow, 'status' | 'options' | 'resolution' | 'resolvedBy' | 'resolvedVia' | 'runKey'>

/** Why a decision takes no answer any more, in a sentence; null while it does. */
export function closedSentence(decision: Closed): string | null {
  switch (decision.status) {
    case 'pending':
      return null
    case 'resolved': {
      const { resolution, resolvedBy, resolvedVia } = decision
      const label = decision.options.find(({ id }) => id === resolution?.optionId)?.label
      const where = resolvedVia ? ` ${channelWords[resolvedVia]}` : ''
      return `${resolvedBy ?? 'Somebody'} answered “${label ?? resolution?.optionId}”${where}.`
    }
    case 'expired':
      return decision.runKey
        ? 'Nobody answered in time, so it expired and its run ended as failed.'
        : 'Nobody answered in time, so it expired and nothing was started.'
    case 'cancelled':
      return decision.runKey
        ? 'It was withdrawn: its run was stopped, or its story left the work in hand.'
        : 'It was withdrawn: what it was about is gone.'
    case 'superseded':
      return 'The run asked again: a newer decision of the same kind took its place.'
  }
}

/** An agent that asks without offering answers gets the one that is written in the note. */
export const needsNote = ({ action, id }: DecisionRow['options'][number]): boolean =>
  action === 'answer' && id === 'note'

export const authorityWords: Record<DecisionRow['authority'], string> = {
  member: 'Members answer',
  admin: 'Owners and admins answer',
  owner: 'Owners answer',
}

const effectWords: Record<DecisionPage['effects'][number]['type'], string> = {
  implementation_started: 'Implementation starts',
  run_continued: 'The run continues',
  exception_granted: 'The exception is granted for this run',
  budget_raised: 'The budget is raised',
  attempt_started: 'A new attempt starts',
  spec_restored: 'The acceptance spec is restored',
  run_ended: 'The run has ended',
  story_returned: 'The story is back in Backlog',
  merge_started: 'The pull request is being merged',
  revert_started: 'A revert pull request is being opened',
  merge_kept: 'The merge stays',
  story_filed: 'A story is filed',
  requirement_submitted: 'The proposal goes to the requirements',
  proposal_declined: 'The proposal is declined and not made again',
  decision_raised: 'The next question was asked',
}

export const effectSentence = ({ type, status }: DecisionPage['effects'][number]): string =>
  status === 'failed' ? `${effectWords[type]}: this step failed` : effectWords[type]

/** As the server counts them: whole characters. */
export const lengthOf = (note: string): number => [...note].length
