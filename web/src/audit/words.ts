import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { Bot, CircleCheck, CircleSlash, CircleX, Cog, type LucideIcon, User } from 'lucide-react'
import type { Tone } from '../ui/badge.tsx'

/** Every event of the log; by its type, none is missing. */
const known: Record<AuditEvent, true> = {
  decision_resolved: true,
  decision_raised: true,
  decision_expired: true,
  decision_cancelled: true,
  decision_superseded: true,
  policy_changed: true,
  policy_evaluated: true,
  team_created: true,
  team_changed: true,
  team_paused: true,
  team_resumed: true,
  team_deleted: true,
  run_started: true,
  run_state_changed: true,
  requirement_submitted: true,
  requirement_answered: true,
  story_changed: true,
  story_written: true,
  tracker_written: true,
  service_changed: true,
  signal_source_changed: true,
  signal_received: true,
  incident_opened: true,
  incident_updated: true,
  incident_resolved: true,
  alert_updated_in_source: true,
  audit_exported: true,
  audit_verified: true,
  token_created: true,
  token_revoked: true,
  member_joined: true,
  member_removed: true,
  member_role_changed: true,
  member_renamed: true,
  member_invited: true,
  invitation_revoked: true,
  signed_in: true,
  sign_in_failed: true,
  signed_out: true,
  session_revoked: true,
  sign_in_method_changed: true,
  workspace_created: true,
  workspace_changed: true,
  workspace_deleted: true,
}
export const events = (Object.keys(known) as AuditEvent[]).toSorted()

/** `signal_received` is "Signal received". */
export const spoken = (word: string): string =>
  word.charAt(0).toUpperCase() + word.slice(1).replaceAll('_', ' ')

type ActorType = AuditEntry['actor']['type']

export const actors: Record<ActorType, { icon: LucideIcon; word: string }> = {
  human: { icon: User, word: 'Person' },
  service: { icon: Bot, word: 'The service' },
  system: { icon: Cog, word: 'System' },
}

export const results: Record<AuditEntry['result'], { tone: Tone; icon: LucideIcon; word: string }> = {
  success: { tone: 'ok', icon: CircleCheck, word: 'Success' },
  failure: { tone: 'danger', icon: CircleX, word: 'Failure' },
  denied: { tone: 'warn', icon: CircleSlash, word: 'Denied' },
}

const moment = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** To the second, in the reader's time zone. */
export const momentOf = (at: string): string => moment.format(new Date(at))

export const many = (count: number): string => count.toLocaleString('en')
