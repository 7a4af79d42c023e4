import type { IncomingMessage } from 'node:http'
import type { Permission } from '@signalbox/contract/token.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Channel, Context } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Authenticator, TokenHolder } from '../../domain/tokens/authenticate.ts'
import type { Quota, RateLimiter } from '../../infra/http/rate-limit.ts'
import { quotaHeaders, refuseForNow } from './quota.ts'

export interface TokenServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  authenticator: Authenticator
  /** 120 a minute for each token. */
  limiter: RateLimiter
}

/** The context of whoever's token a request carries: first that it lives, then its quota, then the permission. */
export async function contextOfToken(
  services: TokenServices,
  request: FastifyRequest,
  reply: FastifyReply,
  { permission, channel }: { permission: Permission; channel: Channel },
): Promise<Context> {
  const { ctx, holder } = await admitToken(services, request, reply, channel)
  if (!allows(holder, permission))
    throw new DomainError('insufficient_scope', `The token lacks the permission ${permission}.`)
  return ctx
}

/** The same for a token with whatever permissions. */
export async function admitToken(
  services: TokenServices,
  request: FastifyRequest,
  reply: FastifyReply,
  channel: Channel,
): Promise<{ ctx: Context; holder: TokenHolder }> {
  const { authenticator } = services
  // What is at hand is not awaited: a turn of the queue each would cost every request.
  const known = authenticator.authenticate(bearer(request))
  const holder = known instanceof Promise ? await known : known
  request.caller = callerOf(holder, channel)
  const counted = countOnce(services, holder, request.raw)
  const quota = counted instanceof Promise ? await counted : counted
  quotaHeaders(reply, quota)
  if (quota.refused) refuseForNow(reply, quota)
  return { ctx: contextOf(services, holder, channel, request.id), holder }
}

/** A living token that may do what is asked, known without asking; undefined where the usual way has more to say. */
export function holderAtOnce(
  { authenticator }: Pick<TokenServices, 'authenticator'>,
  { headers }: IncomingMessage,
  permission: Permission,
): TokenHolder | undefined {
  const holder = headers.authorization && authenticator.remembered(tokenIn(headers.authorization))
  return holder && allows(holder, permission) ? holder : undefined
}

const counts = new WeakMap<IncomingMessage, Quota>()

/** Counts a request against its token. One that changes its way half-way is not counted again. */
export function countOnce(
  { limiter }: Pick<TokenServices, 'limiter'>,
  { tokenId }: TokenHolder,
  request: IncomingMessage,
): Quota | Promise<Quota> {
  return counts.get(request) ?? limiter.take(tokenId)
}

export const isCounted = (request: IncomingMessage, quota: Quota): void => void counts.set(request, quota)

export const callerOf = ({ workspaceId, personId, prefix }: TokenHolder, channel: Channel) => ({
  channel,
  workspace: workspaceId,
  actor: personId,
  token: prefix,
})

export function contextOf(
  { db, clock, queue }: Pick<TokenServices, 'db' | 'clock' | 'queue'>,
  { workspaceId, personId, personName, role, prefix }: TokenHolder,
  channel: Channel,
  requestId: string,
): Context {
  const actor = { type: 'human', name: personName, userId: personId, role } as const
  const origin = { requestId, tokenPrefix: prefix, presence: 'token' } as const
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
    quotaHeaders(reply, await limiter.take(holder.tokenId))
  } catch {
    // No living token, or nobody can say: the address is counted instead.
  }
}

/** What stands behind `Bearer`. */
export function bearer(request: FastifyRequest): string {
  const header = request.headers.authorization
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
