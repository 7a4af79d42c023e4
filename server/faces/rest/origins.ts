import type { IncomingMessage } from 'node:http'

/** Tokens travel in a header that pages must set themselves, so any origin may ask; cookies are never accepted. */
export function originHeaders(
  { method, headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  allow = 'GET',
): [string, string][] {
  const any: [string, string] = ['access-control-allow-origin', '*']
  if (!headers.origin) return [any]
  const all: [string, string][] = [any, ['access-control-expose-headers', exposed]]
  if (method === 'OPTIONS')
    all.push(
      ['access-control-allow-methods', allow],
      ['access-control-allow-headers', accepted],
      ['access-control-max-age', '86400'],
    )
  return all
}

const accepted = 'Authorization, Content-Type, If-None-Match, Idempotency-Key, X-Request-Id'

const exposed = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'X-Request-Id',
  'ETag',
  'X-Service-Export-Count',
  'X-Service-Export-Truncated',
  'X-Service-Export-Archived-Before',
  'X-Service-Export-Id',
  'X-Service-Archived-Before',
].join(', ')
