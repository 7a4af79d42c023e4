import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import type { Quota, RateLimiter } from '../../infra/http/rate-limit.ts'
import { addressOf } from '../../infra/http/server.ts'

/** Names and values in turn. */
export const quotaHeaders = ({ limit, remaining, resetsAt }: Quota): string[] => [
  ...['x-ratelimit-limit', String(limit)],
  ...['x-ratelimit-remaining', String(remaining)],
  ...['x-ratelimit-reset', String(resetsAt)],
]

/** The same on a reply of Fastify. */
export function tellQuota(reply: FastifyReply, { limit, remaining, resetsAt }: Quota): void {
  reply.header('x-ratelimit-limit', limit)
  reply.header('x-ratelimit-remaining', remaining)
  reply.header('x-ratelimit-reset', resetsAt)
}

export function refuseForNow(reply: FastifyReply, quota: Quota): never {
  reply.header('retry-after', quota.seconds)
  throw rateLimited(quota)
}

export const rateLimited = ({ limit, seconds }: Quota) =>
  new DomainError(
    'rate_limited',
    `Rate limit of ${limit} requests per minute reached. Retry in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`,
  )

/**
 * A response without a living token still carries the three headers, from a bucket of the caller's address. The bucket
 * refuses nothing: a wrong token is always told that it is wrong.
 */
export function countStranger(strangers: RateLimiter, request: FastifyRequest, reply: FastifyReply): void {
  const address = addressOf(request.ip)
  tellQuota(reply, request.method === 'OPTIONS' ? strangers.peek(address) : strangers.count(address))
}
