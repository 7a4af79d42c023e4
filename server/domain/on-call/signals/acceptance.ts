import type { Reading } from '../senders/reading/reading.ts'
import type { Sender } from '../senders/sender/sender.ts'

export const maxBodyBytes = 512 * 1024

/** JSON is read, and what a sender calls otherwise although it is. A sender that names no type is believed. */
export function isReadable({ contentTypes }: Pick<Sender, 'contentTypes'>, contentType?: string): boolean {
  const type = (contentType ?? '').split(';', 1)[0]!.trim().toLowerCase()
  if (type === '' || type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return true
  return contentTypes?.includes(type) ?? false
}

/**
 * The response to a proven delivery. A refusal makes a tool drop the alert or turn its webhook off, and no one reads
 * it; only people's own scripts are told what is wrong.
 */
export const statusFor = (
  { hearsFaults }: Pick<Sender, 'hearsFaults'>,
  { alerts, problem }: Reading,
): 202 | 400 => (hearsFaults && problem !== null && alerts.length === 0 ? 400 : 202)
