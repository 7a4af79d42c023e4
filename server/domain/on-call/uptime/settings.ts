import { webAddressIn } from '@signalbox/contract/address.ts'
import { maxUptimeTextLength, uptimeDefaults, uptimeRanges } from '@signalbox/contract/limits.ts'
import { DomainError } from '../../errors.ts'

/** What an uptime check looks at, how often, and what it expects. */
export interface UptimeCheck {
  url: string
  intervalSeconds: number
  timeoutSeconds: number
  /** Statuses that count as up. */
  statuses: number[]
  /** Text that the body must hold; null: any body. */
  text: string | null
  /** How many failures in a row make it fire. */
  failures: number
}

const longestUrl = 2_000
const mostStatuses = 100

/** A check as it can be kept. */
export function checkedUptime(settings: Record<string, unknown>): UptimeCheck {
  const check = { ...uptimeDefaults, ...settings } as UptimeCheck
  const unknown = Object.keys(settings).find((name) => name !== 'url' && !Object.hasOwn(uptimeDefaults, name))
  if (unknown)
    throw invalid(`there is no setting ${unknown}; known are url, ${Object.keys(uptimeDefaults).join(', ')}`)
  const url = typeof check.url === 'string' ? URL.parse(check.url) : null
  if (!url || !/^https?:$/.test(url.protocol))
    throw invalid('url must be an address that begins with http:// or https://')
  if (check.url.length > longestUrl) throw invalid(`url can have ${longestUrl} characters at most`)
  if (url.username || url.password) throw invalid('url must not contain a user name or a password')
  if (!webAddressIn(check.url))
    throw invalid(`url must name its host plainly, as in ${url.protocol}//${url.host}/`)
  for (const name of ['intervalSeconds', 'timeoutSeconds', 'failures'] as const)
    whole(name, check[name], uptimeRanges[name])
  if (!Array.isArray(check.statuses) || check.statuses.length === 0)
    throw invalid('statuses must be a list of at least one status')
  if (check.statuses.length > mostStatuses) throw invalid(`statuses can be ${mostStatuses} at most`)
  for (const status of check.statuses) whole('statuses', status, { least: 100, most: 599 })
  if (check.text !== null && (typeof check.text !== 'string' || check.text.length > maxUptimeTextLength))
    throw invalid(`text must have up to ${maxUptimeTextLength.toLocaleString('en')} characters, or null`)
  return check
}

function whole(name: string, value: unknown, { least, most }: { least: number; most: number }): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
    throw invalid(`${name} must be a whole number from ${least} to ${most}`)
}

const invalid = (complaint: string) =>
  new DomainError('invalid_request', `The uptime check is not valid: ${complaint}.`)
