import type { Token } from '@signalbox/contract/app/tokens.ts'
import type { Permission, TokenLifetime } from '@signalbox/contract/token.ts'
import { serverNow } from '../api/clock.ts'

/** What each permission lets a token do, in the order they are offered. */
export const permissionWords: Record<Permission, { name: string; what: string }> = {
  read: {
    name: 'Read',
    what: 'Read everything over the REST API. The audit log also needs an owner or admin.',
  },
  write: { name: 'Write', what: 'Answer decisions.' },
  delete: { name: 'Delete', what: 'Reserved. No endpoint deletes data yet.' },
  admin: { name: 'Admin', what: 'Everything the other three allow.' },
}

export const lifetimeWords: Record<TokenLifetime, string> = {
  '30d': '30 days',
  '90d': '90 days',
  '1y': '1 year',
}

export type TokenState = 'active' | 'expires soon' | 'expired' | 'revoked'

const soonMs = 7 * 86_400_000

export function stateOf({ revokedAt, expiresAt }: Token, at = serverNow()): TokenState {
  if (revokedAt) return 'revoked'
  const left = new Date(expiresAt).getTime() - at
  return left <= 0 ? 'expired' : left < soonMs ? 'expires soon' : 'active'
}
