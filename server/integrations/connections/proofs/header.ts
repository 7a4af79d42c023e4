import { createHash } from 'node:crypto'
import type { HookDelivery } from '../../../domain/ports/connector.ts'

/** A header that came once. */
export function header({ headers }: HookDelivery, name: string): string | null {
  const value = headers[name]
  return typeof value === 'string' && value !== '' && value.length <= 500 ? value : null
}

/** For senders that give a delivery no id: the same body is the same delivery. */
export const digestOf = ({ body }: HookDelivery): string => createHash('sha256').update(body).digest('hex')

/** What is said in the body, once it is proven. */
export function bodyOf({ body }: HookDelivery): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** Allows for clocks that differ. Anything older may be a replay by someone who has seen it. */
export const freshMs = 5 * 60_000
