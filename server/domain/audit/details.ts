import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { auditDetails, type Details } from '@signalbox/contract/audit-details.ts'
import { Compile } from 'typebox/compile'

const validators = new Map(
  Object.entries(auditDetails).map(([event, schema]) => [event as AuditEvent, Compile(schema)]),
)

/** Refuses what an event does not say. That is never somebody's doing: whoever writes the entry is mistaken. */
export function checkDetails(event: AuditEvent, details: object): void {
  const validator = validators.get(event)!
  if (validator.Check(details)) return
  const [first] = validator.Errors(details)
  throw new Error(`The details of ${event} do not fit: ${first?.instancePath} ${first?.message}.`)
}

/** What an entry says, for whoever reads it by its fields; null where an earlier version said it otherwise. */
export function detailsOf<E extends AuditEvent>(entry: AuditEntry, event: E): Details[E] | null {
  if (entry.event !== event) return null
  const { channel: _, origin: __, ...details } = entry.details
  return validators.get(event)!.Check(details) ? (details as Details[E]) : null
}
