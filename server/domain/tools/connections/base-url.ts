import { type ConnectionKind, toolNames } from '@signalbox/contract/connection-kinds.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { DomainError } from '../../errors.ts'

/** Where most customers are; null: everybody has an address of their own. */
const usual: Record<ConnectionKind, string | null> = {
  github: 'https://api.github.com',
  gitlab: 'https://gitlab.com',
  jira: null,
  linear: 'https://api.linear.app',
  slack: 'https://slack.com/api',
}

/** Where the API of a tool is, from the address that people know it by. */
export function checkedBaseUrl(kind: ConnectionKind, given: string | undefined): string {
  const text = given?.trim() || usual[kind]
  if (!text)
    throw new DomainError(
      'invalid_request',
      `Enter the URL of your ${toolNames[kind]}, such as https://acme.atlassian.net.`,
    )
  const url = URL.canParse(text) ? new URL(text) : null
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new DomainError(
      'invalid_request',
      'The URL must be an https address without a user name, a password or a query.',
    )
  const written = trimEnd(`${url.origin}${url.pathname}`, '/')
  return kind === 'github' ? githubApi(url, written) : written
}

/** GitHub Enterprise Server has its API under a path, GitHub Enterprise Cloud on a host of its own. */
function githubApi(url: URL, written: string): string {
  if (/^(?:www\.)?github\.com$/.test(url.hostname)) return usual.github!
  if (/^[\w-]+\.ghe\.com$/.test(url.hostname)) return `https://api.${url.hostname}`
  const isApi = url.hostname.startsWith('api.') || /\/api\/v3$/.test(written)
  return isApi ? written : `${written}/api/v3`
}
