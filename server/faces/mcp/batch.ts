import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TokenHolder } from '../../domain/accounts/tokens/authenticate.ts'
import { DomainError } from '../../domain/errors.ts'
import type { TokenServices } from '../http/bearer.ts'
import { refuseForNow, tellQuota } from '../http/quota.ts'

/** The one version that has several messages in one body; the next took them out again. It has no header for itself. */
const batchVersion = '2025-03-26'

const mostInBatch = 20

/**
 * Several messages in one body are several calls: each counts against the quota of the token, and there are never so
 * many that others wait for them. The first was counted with the request.
 */
export async function admitBatch(
  { limiter }: Pick<TokenServices, 'limiter'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { holder }: { holder: TokenHolder },
  body: unknown,
): Promise<void> {
  if (!Array.isArray(body)) return
  const version = request.headers['mcp-protocol-version'] ?? batchVersion
  if (version !== batchVersion)
    throw new DomainError(
      'invalid_request',
      `Protocol version ${version} has no batches. Send each message in its own request.`,
    )
  if (body.length > mostInBatch)
    throw new DomainError(
      'invalid_request',
      `A batch holds at most ${mostInBatch} messages; this one has ${body.length}.`,
    )
  const others = await Promise.all(body.slice(1).map(() => limiter.take(holder.tokenId)))
  const quota = others.at(-1)
  if (!quota) return
  tellQuota(reply, quota)
  if (quota.refused) refuseForNow(reply, quota)
}
