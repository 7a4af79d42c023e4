import type { Alert } from '@signalbox/contract/signal.ts'
import type { ReadAlert } from '../senders/reading/reading.ts'

/** What is known of an alert when a delivery reports it again. */
export interface KnownAlert {
  status: Alert['status']
  severity: Alert['severity']
  /** The sender's time of that status. */
  occurredAt: Date
  /** When it last recovered. */
  recoveredAt: Date | null
}

/**
 * What a delivery means for an alert:
 * `new` and `again` begin an occurrence, `recovered` ends one, `repeated` says what is known, `late` reports a time
 * that is over, `early` tells the end of something whose beginning has not arrived.
 */
export type News = 'new' | 'again' | 'repeated' | 'recovered' | 'late' | 'early'

/**
 * Deliveries come twice and out of order. A firing that began before the alert last recovered is an old one, sent
 * again; one that began later is a new occurrence. A recovery from before the alert began to fire is old as well.
 */
export function newsOf(known: KnownAlert | null, read: ReadAlert, receivedAt: Date): News {
  const occurredAt = timeOf(read, receivedAt)
  if (!known) return read.status === 'firing' ? 'new' : 'early'
  if (read.status === 'resolved') {
    if (known.status === 'resolved') return 'repeated'
    return occurredAt < known.occurredAt ? 'late' : 'recovered'
  }
  if (known.status === 'firing') return 'repeated'
  // Acknowledging an alert that is over does not make it fire again.
  if (read.updateOnly) return 'late'
  const began = read.startedAt ? new Date(read.startedAt) : occurredAt
  return known.recoveredAt && began <= known.recoveredAt ? 'late' : 'again'
}

/** What is known afterwards. */
export function follow(known: KnownAlert | null, read: ReadAlert, receivedAt: Date): KnownAlert {
  const news = newsOf(known, read, receivedAt)
  const occurredAt = timeOf(read, receivedAt)
  const severity = read.severityGiven || !known ? read.severity : known.severity
  if (known && (news === 'late' || (news === 'repeated' && occurredAt < known.occurredAt))) return known
  const recovers = news === 'recovered' || news === 'early'
  return {
    status: read.status,
    severity,
    // A repetition does not make the status younger: a recovery from in between would look old.
    occurredAt: news === 'repeated' ? known!.occurredAt : occurredAt,
    recoveredAt: recovers ? occurredAt : (known?.recoveredAt ?? null),
  }
}

function timeOf(read: ReadAlert, receivedAt: Date): Date {
  const stated = read.occurredAt ?? (read.status === 'firing' ? read.startedAt : read.endedAt)
  const at = stated ? new Date(stated) : receivedAt
  // A sender whose clock is ahead must not make everything that follows look old.
  return at > receivedAt ? receivedAt : at
}
