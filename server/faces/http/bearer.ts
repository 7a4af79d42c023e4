import type { IncomingMessage } from 'node:http'
import type { Permission } from '@signalbox/contract/token.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator, TokenHolder } from '../../domain/accounts/tokens/authenticate.ts'
import { requireAllowed } from '../../domain/accounts/workspaces/networks.ts'
import type { Channel, Context } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import type { RateLimiter } from '../../infra/http/rate-limit.ts'
import { plainAddress } from '../../infra/http/server.ts'
import type { Exchange } from './pipeline.ts'
import { rateLimited, refuseForNow, tellQuota } from './quota.ts'

export interface TokenServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  authenticator: Authenticator
  /** 120 a minute for each token. */
  limiter: RateLimiter
}

/**
 * The context of the person whose token a request carries: first that it lives, then its quota, then the permission.
 */
export async function admit(
  services: TokenServices,
  exchange: Exchange,
  { permission, channel }: { permission: Permission; channel: Channel },
): Promise<Context> {
  const { authenticator, limiter } = services
  // What is at hand is not awaited: a turn of the queue each would cost every request.
  const known = authenticator.authenticate(bearer(exchange.request))
  const holder = known instanceof Promise ? await known : known
  exchange.caller = callerOf(holder, channel)
  const counted = limiter.take(holder.tokenId)
  const quota = counted instanceof Promise ? await counted : counted
  exchange.quota = quota
  if (quota.refused) {
    exchange.headers.push('retry-after', String(quota.seconds))
    throw rateLimited(quota)
  }
  requireAllowed(holder.networks, plainAddress(exchange.remote.ip))
  if (!allows(holder, permission))
    throw new DomainError('insufficient_scope', `The token lacks the permission ${permission}.`)
  return contextOf(services, holder, channel, { requestId: exchange.id, ip: exchange.remote.ip })
}

/** The same for a request that Fastify has, and a token with any permissions. */
export async function admitToken(
  services: TokenServices,
  request: FastifyRequest,
  reply: FastifyReply,
  channel: Channel,
): Promise<{ ctx: Context; holder: TokenHolder }> {
  const { authenticator, limiter } = services
  const holder = await authenticator.authenticate(bearer(request))
  request.caller = callerOf(holder, channel)
  const quota = await limiter.take(holder.tokenId)
  tellQuota(reply, quota)
  if (quota.refused) refuseForNow(reply, quota)
  requireAllowed(channel === 'runner' ? holder.runnerNetworks : holder.networks, plainAddress(request.ip))
  return { ctx: contextOf(services, holder, channel, { requestId: request.id, ip: request.ip }), holder }
}

const callerOf = ({ workspaceId, personId, prefix }: TokenHolder, channel: Channel) => ({
  channel,
  workspace: workspaceId,
  actor: personId,
  token: prefix,
})

function contextOf(
  { db, clock, queue }: Pick<TokenServices, 'db' | 'clock' | 'queue'>,
  { workspaceId, personId, personName, role, prefix }: TokenHolder,
  channel: Channel,
  { requestId, ip }: { requestId: string; ip: string },
): Context {
  const actor = { type: 'human', name: personName, userId: personId, role } as const
  const address = plainAddress(ip)
  const origin = { requestId, tokenPrefix: prefix, presence: 'token', address } as const
  return { db, clock, queue, workspaceId, actor, channel, origin }
}

/**
 * Counts a request that ended before its token was asked for: at no path, by another method, with too large a body.
 * A living token is told its quota, and is not refused for it.
 */
export async function countToken(
  { authenticator, limiter }: TokenServices,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (request.method === 'OPTIONS' || !request.headers.authorization) return
  try {
    const holder = await authenticator.authenticate(bearer(request))
    request.caller = callerOf(holder, 'api')
    tellQuota(reply, await limiter.take(holder.tokenId))
  } catch {
    // No valid token, or that cannot be determined: the address is counted instead.
  }
}

/** What stands behind `Bearer`. */
export function bearer({ headers: { authorization: header } }: Pick<IncomingMessage, 'headers'>): string {
  if (!header) {
    throw new DomainError(
      'missing_token',
      'This endpoint needs an API token: send it as Authorization: Bearer <API_TOKEN>.',
    )
  }
  return tokenIn(header)
}

const tokenIn = (header: string) =>
  header.startsWith('Bearer tk_') ? header.slice(7) : (/^bearer (.*)$/is.exec(header)?.[1]?.trim() ?? '')

const allows = (holder: TokenHolder, permission: Permission) =>
  holder.permissions.includes(permission) || holder.permissions.includes('admin')
