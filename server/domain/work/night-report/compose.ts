import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import type { NightReport } from '@signalbox/contract/app/night-report.ts'
import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import type { Role } from '@signalbox/contract/roles.ts'
import type { Span, Storm } from '../../record/audit/read-span.ts'
import { doneFrom } from './done.ts'
import { nearMissesFrom } from './near-misses.ts'
import { type Spending, spentFrom } from './spent.ts'
import { type Unblocked, waitingFrom } from './waiting.ts'

/** The events that a report is made from. */
export const reportedEvents: AuditEvent[] = [
  'run_started',
  'run_state_changed',
  'pull_request_merged',
  'story_written',
  'decision_raised',
  'decision_resolved',
  'decision_expired',
  'policy_evaluated',
  'incident_opened',
  'incident_resolved',
  'connection_changed',
  'signal_source_changed',
  'runner_changed',
  'webhook_endpoint_changed',
  'sign_in_failed',
]

/** What is the same for everyone in the workspace. */
export interface Night {
  /** Newest first, as the log gives them. */
  entries: readonly AuditEntry[]
  isCut: boolean
  storms: readonly Storm[]
  spending: readonly Spending[]
}

/** What is one person's. */
export interface PersonalInbox {
  role: Role
  decisions: readonly DecisionRow[]
  unblocked: readonly Unblocked[]
}

/** The report of one person: a pure function of what was read. */
export function composeReport(
  { morning, from, until }: Span & { morning: string | null },
  { entries, isCut, storms, spending }: Night,
  { role, decisions, unblocked }: PersonalInbox,
): NightReport {
  const inOrder = entries.toReversed()
  return {
    morning,
    from: from.toISOString(),
    until: until.toISOString(),
    done: doneFrom(inOrder),
    waiting: waitingFrom(decisions, unblocked, role, until),
    spent: spentFrom(spending),
    nearly: nearMissesFrom(inOrder, storms, role),
    isCut,
  }
}

/** Nothing happened and nothing waits: there is nothing to say. */
export const isEmpty = ({ done, waiting, spent, nearly }: NightReport): boolean =>
  [done, waiting, spent, nearly].every(({ sentences }) => sentences.length === 0)
