import type { SenderKind } from '@signalbox/contract/signal.ts'
import type { Reading } from '../senders/reading/reading.ts'

export const maxBodyBytes = 512 * 1024

/** JSON is read, and what SNS calls text/plain: it is JSON as well. A sender that names no type is believed. */
export function isReadable(kind: SenderKind, contentType: string | undefined): boolean {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === '' || type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return true
  return kind === 'cloudwatch' && type === 'text/plain'
}

/**
 * What a proven delivery is answered with. A refusal makes a tool drop the alert or turn its webhook off, and nobody
 * reads it; only the generic format is sent by people's own scripts, which can be told.
 */
export const statusFor = (kind: SenderKind, { alerts, problem }: Reading): 202 | 400 =>
  kind === 'generic' && problem !== null && alerts.length === 0 ? 400 : 202
