import { DomainError } from '../errors.ts'

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

const defaults: Omit<UptimeCheck, 'url'> = {
  intervalSeconds: 60,
  timeoutSeconds: 10,
  statuses: [200],
  text: null,
  failures: 2,
}

/** A check as it can be kept. */
export function checkedUptime(settings: Record<string, unknown>): UptimeCheck {
  const check = { ...defaults, ...settings } as UptimeCheck
  const unknown = Object.keys(settings).find((name) => name !== 'url' && !Object.hasOwn(defaults, name))
  if (unknown)
    throw invalid(`there is no setting ${unknown}; known are url, ${Object.keys(defaults).join(', ')}`)
  if (
    typeof check.url !== 'string' ||
    !URL.canParse(check.url) ||
    !/^https?:$/.test(new URL(check.url).protocol)
  )
    throw invalid('url must be an address that begins with http:// or https://')
  if (check.url.length > longestUrl) throw invalid(`url can have ${longestUrl} characters at most`)
  if (new URL(check.url).username || new URL(check.url).password)
    throw invalid('url must not hold a user name or a password')
  whole('intervalSeconds', check.intervalSeconds, 10, 86_400)
  whole('timeoutSeconds', check.timeoutSeconds, 1, 60)
  whole('failures', check.failures, 1, 10)
  if (!Array.isArray(check.statuses) || check.statuses.length === 0)
    throw invalid('statuses must be a list of at least one status')
  if (check.statuses.length > mostStatuses) throw invalid(`statuses can be ${mostStatuses} at most`)
  for (const status of check.statuses) whole('statuses', status, 100, 599)
  if (check.text !== null && (typeof check.text !== 'string' || check.text.length > 1_000))
    throw invalid('text must be a text of up to 1,000 characters, or null')
  return check
}

function whole(name: string, value: unknown, least: number, most: number): void {
  if (!Number.isSafeInteger(value) || (value as number) < least || (value as number) > most)
    throw invalid(`${name} must be a whole number from ${least} to ${most}`)
}

const invalid = (complaint: string) =>
  new DomainError('invalid_request', `The uptime check is not possible: ${complaint}.`)
