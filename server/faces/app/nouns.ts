import type { AuditEvent } from '@signalbox/contract/audit.ts'

/** What of the app's reads an event makes old, by the noun its operations begin with. */
const touched: [RegExp, string[]][] = [
  [/^decision_/, ['decisions', 'runs', 'stories', 'teams', 'incidents']],
  [/^run_|^policy_evaluated/, ['runs', 'decisions', 'stories', 'teams']],
  [/^policy_|^team_/, ['teams', 'policies', 'runs']],
  [/^requirement_|^story_|^tracker_/, ['requirements', 'stories', 'teams']],
  [/^service_/, ['services', 'sources', 'incidents']],
  [/^signal_/, ['sources', 'services', 'incidents']],
  [/^incident_|^alert_/, ['incidents', 'services', 'sources']],
  [/^token_/, ['tokens']],
  [/^member_|^invitation_/, ['members', 'tokens']],
  [/^workspace_/, ['workspaces', 'members']],
]

/** The nouns to read again after these events. The audit log itself is told of by every one. */
export function nounsOf(events: readonly AuditEvent[]): string[] {
  const nouns = new Set(['audit'])
  for (const event of new Set(events)) {
    for (const [pattern, those] of touched) if (pattern.test(event)) for (const noun of those) nouns.add(noun)
  }
  return [...nouns]
}
