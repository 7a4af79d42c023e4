import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import type { Delivered } from '../../domain/senders/reading/reading.ts'
import { maxBodyBytes } from '../../domain/signals/acceptance.ts'
import type { KnownSource } from '../../domain/signals/known-source.ts'
import { understand } from '../../domain/signals/understand.ts'
import { noSuchPath, ownPaths } from '../http/paths.ts'
import { takeQuickly } from './quick.ts'
import type { IntakeServices } from './services.ts'

/**
 * The signed alert intake: address, size, proof over the raw bytes, then reading. 202 is said after the delivery is
 * committed. A sender drops what it is told a 4xx for, so after a right proof only the generic format hears of faults.
 */
export async function intakeFace(app: FastifyInstance, services: IntakeServices): Promise<void> {
  app.route<{ Params: { token: string } }>({
    method: methods,
    url: `${services.path}/:token`,
    bodyLimit: maxBodyBytes,
    // Before a byte of the body is read: an unknown address costs nothing.
    onRequest: async (request) => {
      request.operation = 'receiveSignal'
      const source = await orUnavailable(services.sources.find(request.params.token))
      if (!source) throw new DomainError('unknown_address', 'No source has this address.')
      request.source = source
      request.caller = { channel: 'intake' }
      if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) {
        const message = `The delivery is larger than ${maxBodyBytes} bytes.`
        services.refusals.note(source.id, message)
        throw new DomainError('payload_too_large', message)
      }
    },
    handler: (request, reply) => receive(services, request, reply),
  })
  takeQuickly(app, services)
  if (services.path)
    ownPaths(app, [services.path], (request, reply, done) => {
      refuseOtherMethods(services)(request, reply).then(() => done(noSuchPath()), done)
    })
}

/** Says which methods an address takes; of one that no source has, nothing. */
export const refuseOtherMethods =
  ({ path, sources }: Pick<IntakeServices, 'path' | 'sources'>) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const token = request.url.slice(path.length + 1).split('?', 1)[0]!
    if (!(await orUnavailable(sources.find(token)))) return
    reply.header('allow', methods.join(', '))
    throw new DomainError('method_not_allowed', `This address accepts ${methods.join(' and ')}.`)
  }

const methods = ['POST', 'PUT']

async function receive(services: IntakeServices, request: FastifyRequest, reply: FastifyReply) {
  const source = request.source!
  const delivered: Delivered = {
    body: request.body instanceof Buffer ? request.body : Buffer.alloc(0),
    headers: request.headers,
    query: request.query as Delivered['query'],
  }
  const reading = await understand(services, source, delivered)
  const received = await orUnavailable(services.receiver.receive(source, reading))
  return reply.code(202).header('cache-control', 'no-store').send(received)
}

/**
 * Every sender tries again after a 503, and some never do after a 500. So what is in the way of the database is a 503,
 * however it shows itself: a connection that breaks off has no code. What is wrong with the data would be so again.
 */
async function orUnavailable<T>(work: T | Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const isAboutData = /^2[23]/.test((error as { code?: string }).code ?? '')
    if (error instanceof DomainError || isAboutData) throw error
    const message = 'The delivery could not be saved. Send it again in a moment.'
    throw Object.assign(new DomainError('service_unavailable', message), { cause: error })
  }
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the address is known. */
    source?: KnownSource
  }
}
