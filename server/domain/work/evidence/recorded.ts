import type { AuditEntry } from '@signalbox/contract/audit.ts'

/** Hashes of the statements that an entry says were signed with the evidence; none in older entries. */
export function recordedStatements({ event, details }: AuditEntry): string[] {
  const { statements } = details
  return event === 'run_state_changed' && Array.isArray(statements) ? statements.map(String) : []
}
