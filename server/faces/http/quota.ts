import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import type { Quota, RateLimiter } from '../../infra/http/rate-limit.ts'
import { addressOf } from '../../infra/http/server.ts'

export function quotaHeaders(reply: FastifyReply, quota: Quota): void {
  reply.header('x-ratelimit-limit', quota.limit)
  reply.header('x-ratelimit-remaining', quota.remaining)
  reply.header('x-ratelimit-reset', quota.resetsAt)
}

export function refuseForNow(reply: FastifyReply, { limit, seconds }: Quota): never {
  reply.header('retry-after', seconds)
  throw new DomainError(
    'rate_limited',
    `Rate limit of ${limit} requests per minute reached. Retry in ${seconds} seconds.`,
  )
}

/**
 * A response without a living token still carries the three headers, from a bucket of the caller's address. The bucket
 * refuses nothing: a wrong token is always told that it is wrong.
 */
export function countStranger(strangers: RateLimiter, request: FastifyRequest, reply: FastifyReply): void {
  const address = addressOf(request.ip)
  quotaHeaders(reply, request.method === 'OPTIONS' ? strangers.peek(address) : strangers.count(address))
}
