import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { findHook, type Receiving, receiveHook } from '../../domain/tools/connections/receive.ts'
import type { HookedConnection } from '../../domain/tools/connections/store.ts'
import { noSuchPath, ownPaths } from '../http/paths.ts'

/** Enough for an issue or a pull request with everything that is said in it; the truth is fetched anyway. */
const maxBodyBytes = 2 * 1024 * 1024

/**
 * Where outside tools send their webhooks: proof over the raw bytes, kept once, answered, understood later. Some tools
 * turn a hook off for good after a few refusals, so 401 is only for a wrong proof.
 */
export async function hooksFace(app: FastifyInstance, services: Receiving): Promise<void> {
  app.post<{ Params: { token: string } }>('/hooks/:token', {
    bodyLimit: maxBodyBytes,
    // Before a byte of the body is read: an unknown address costs nothing.
    onRequest: async (request) => {
      request.operation = 'receiveHook'
      const hook = await findHook(services, request.params.token)
      if (!hook) throw new DomainError('unknown_address', 'No connection has this address.')
      request.hook = hook
      request.caller = { channel: 'intake' }
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes)
        throw new DomainError('payload_too_large', `The delivery is larger than ${maxBodyBytes} bytes.`)
    },
    handler: async (request, reply) => {
      const { repeated } = await receiveHook(services, request.hook!, deliveryOf(request))
      // Linear takes nothing but a 200 for an answer.
      return reply.code(200).header('cache-control', 'no-store').send({ accepted: true, repeated })
    },
  })
  ownPaths(app, ['/hooks'], (_, __, done) => done(noSuchPath()))
}

const deliveryOf = ({ body, headers }: FastifyRequest) => ({
  headers,
  body: body instanceof Buffer ? body : Buffer.alloc(0),
})

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the address is known. */
    hook?: HookedConnection
  }
}
