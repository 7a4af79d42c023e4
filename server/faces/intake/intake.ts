import { parse } from 'node:querystring'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { maxBodyBytes } from '../../domain/on-call/signals/acceptance.ts'
import type { KnownSource } from '../../domain/on-call/signals/known-source.ts'
import { parseDelivery } from '../../domain/on-call/signals/parse-delivery.ts'
import { errorBody } from '../http/errors.ts'
import { noSuchPath, ownPaths } from '../http/paths.ts'
import { type Answer, type Exchange, type Finder, readBody } from '../http/pipeline.ts'
import type { IntakeServices } from './services.ts'

/**
 * The signed alert intake: address, size, proof over the raw bytes, then reading. 202 is said after the delivery is
 * committed. A sender drops what it is told a 4xx for, so after a right proof only the generic format is told about faults.
 */
export async function intakeFace(app: FastifyInstance, services: IntakeServices): Promise<void> {
  app.answerFirst(finder(app, services))
  if (services.path)
    ownPaths(app, [services.path], (request, reply, done) => {
      refuseOtherMethods(services)(request, reply).then(() => done(noSuchPath()), done)
    })
}

const methods = ['POST', 'PUT']

/** One segment below the path is an address, unless another face has it. */
function finder(app: FastifyInstance, services: IntakeServices): Finder {
  const { path } = services
  return ({ method = '', url = '' }) => {
    if (!methods.includes(method) || !url.startsWith(path) || url[path.length] !== '/') return undefined
    const [token = '', query = ''] = cut(url.slice(path.length + 1))
    if (token === '' || token.includes('/')) return undefined
    // With a host of its own, the intake has its addresses beside the paths of the other faces.
    if (path === '' && app.hasRoute({ method: method as 'POST', url: `/${token}` })) return undefined
    return (exchange) => receive(services, exchange, { token, query })
  }
}

/** Before and after the first question mark. */
function cut(text: string): string[] {
  const mark = text.indexOf('?')
  return mark < 0 ? [text] : [text.slice(0, mark), text.slice(mark + 1)]
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

async function receive(
  services: IntakeServices,
  exchange: Exchange,
  { token, query }: { token: string; query: string },
): Promise<Answer> {
  exchange.operation = 'receiveSignal'
  if (services.isForeign()) throw new DomainError('service_unavailable', notSaved)
  // Before a byte of the body is read: an unknown address costs nothing.
  const source = await orUnavailable(services.sources.find(token))
  if (!source) throw new DomainError('unknown_address', 'No source has this address.')
  exchange.caller = { channel: 'intake' }
  const putOff = limitSource(services, source, exchange)
  if (putOff) return putOff
  const { headers } = exchange.request
  const body = await deliveredBody(services, source, exchange)
  const delivered = { body, headers, query: query === '' ? {} : parse(query) }
  const understood = parseDelivery(services, source, delivered)
  const read = understood instanceof Promise ? await understood : understood
  const reading = services.testMarks.applied(read, delivered, source.id, services.clock.now())
  const received = await orUnavailable(services.receiver.receive(source, reading))
  exchange.inStorms = true
  return {
    status: 202,
    headers: ['cache-control', 'no-store', 'content-type', json],
    body: JSON.stringify(received),
  }
}

/**
 * What one source sends too fast is put off before its body is read, so that it takes no other source's turn. By 503,
 * after which every sender tries again: some drop what they are told a 429 for.
 */
function limitSource(
  { limiter, refusals }: IntakeServices,
  source: KnownSource,
  exchange: Exchange,
): Answer | null {
  const { refused, limit, seconds } = limiter.count(source.id)
  if (!refused) return null
  refusals.note(source.id, `More than ${limit} deliveries in a minute.`)
  exchange.inStorms = true
  const message = `This source has sent more than ${limit} deliveries in a minute. Send it again in ${seconds === 1 ? '1 second' : `${seconds} seconds`}.`
  return {
    status: 503,
    headers: ['cache-control', 'no-store', 'content-type', json, 'retry-after', String(seconds)],
    body: errorBody('service_unavailable', message),
  }
}

const json = 'application/json; charset=utf-8'
const notSaved = 'The delivery could not be saved. Send it again in a moment.'

async function deliveredBody(
  { refusals }: IntakeServices,
  source: KnownSource,
  { request }: Exchange,
): Promise<Buffer> {
  try {
    return await readBody(request, maxBodyBytes)
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'payload_too_large') throw error
    const message = `The delivery is larger than ${maxBodyBytes} bytes.`
    refusals.note(source.id, message)
    throw new DomainError('payload_too_large', message)
  }
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
    throw Object.assign(new DomainError('service_unavailable', notSaved), { cause: error })
  }
}
