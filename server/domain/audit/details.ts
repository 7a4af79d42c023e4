import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { auditDetails, type Details } from '@signalbox/contract/audit-details.ts'
import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

const validators: Partial<Record<AuditEvent, Validator>> = {}
/** Compiled when the first entry of its event is there: a start need not wait for all of them. */
const validatorFor = (event: AuditEvent): Validator =>
  (validators[event] ??= Compile(auditDetails[event] as TSchema))

/** Refuses what an event does not say. That is never somebody's doing: whoever writes the entry is mistaken. */
export function checkDetails(event: AuditEvent, details: object): void {
  const validator = validatorFor(event)
  if (validator.Check(details)) return
  const [first] = validator.Errors(details)
  throw new Error(`The details of ${event} do not fit: ${first?.instancePath} ${first?.message}.`)
}

/** What an entry says, for whoever reads it by its fields; null where an earlier version said it otherwise. */
export function detailsOf<E extends AuditEvent>(entry: AuditEntry, event: E): Details[E] | null {
  if (entry.event !== event) return null
  const { channel: _, origin: __, ...details } = entry.details
  return validatorFor(event).Check(details) ? (details as Details[E]) : null
}
