import type { AuditEntry, AuditEvent } from '@signalbox/contract/audit.ts'
import { auditDetails, type Details } from '@signalbox/contract/audit-details.ts'
import { Shapes } from '../../shapes.ts'

const checked = new Shapes<AuditEvent>(auditDetails)

/** Refuses what an event does not say. */
export const checkDetails = (event: AuditEvent, details: object): void => checked.check(event, details)

/** An entry's details by field; null if an earlier version recorded them differently. */
export function detailsOf<E extends AuditEvent>(entry: AuditEntry, event: E): Details[E] | null {
  if (entry.event !== event) return null
  const { channel: _, origin: __, ...details } = entry.details
  return checked.fits(event, details) ? (details as Details[E]) : null
}
