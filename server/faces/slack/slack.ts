import { parse } from 'node:querystring'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../domain/errors.ts'
import { parseJson } from '../../domain/parse-json.ts'
import type { Connector } from '../../domain/ports/connector.ts'
import { openByHookToken } from '../../domain/tools/connections/open-by-hook.ts'
import type { Secrets } from '../../infra/secrets.ts'
import { ownPaths } from '../http/paths.ts'
import { type HandlingServices, handle } from './handle.ts'
import { commandIn, eventIn, interactionIn, type SlackPayload } from './payload.ts'

export interface SlackServices extends HandlingServices {
  secrets: Pick<Secrets, 'decrypt'>
  proof: Connector['proof']
}

const mostBytes = 256 * 1024

/** Where Slack sends clicks, commands and its own questions, one address for each connection. */
export async function slackFace(app: FastifyInstance, services: SlackServices): Promise<void> {
  // The proof is over the bytes as they came.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))

  app.post<{ Params: { token: string } }>(
    '/slack/:token',
    { bodyLimit: mostBytes },
    async (request, reply) => {
      request.operation = 'receiveFromSlack'
      request.caller = { channel: 'slack' }
      reply.header('cache-control', 'no-store')
      const connection = await openByHookToken(services, request.params.token)
      if (connection?.kind !== 'slack')
        throw new DomainError('unknown_address', 'No connection has this address.')
      const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0)
      const delivery = { headers: request.headers, body }
      if (!services.proof(delivery, connection.credentials.signingSecret ?? '', services.clock.now()))
        throw new DomainError(
          'invalid_proof',
          'The request isn’t signed by the Slack app of this connection, or it is older than five minutes.',
        )
      const payload = payloadIn(request.headers['content-type'] ?? '', body)
      return reply.send((await handle(services, connection, payload, request.id)) ?? '')
    },
  )
  ownPaths(app, ['/slack'])
}

function payloadIn(contentType: string, body: Buffer): SlackPayload {
  if (contentType.startsWith('application/json')) {
    const event = jsonIn(body.toString('utf8'))
    return event?.type === 'url_verification' && typeof event.challenge === 'string'
      ? { type: 'challenge', challenge: event.challenge }
      : eventIn(event)
  }
  const form = parse(body.toString('utf8'))
  if (typeof form.payload === 'string') return interactionIn(jsonIn(form.payload))
  return typeof form.command === 'string' ? commandIn(form) : { type: 'other' }
}

function jsonIn(text: string): Record<string, unknown> | null {
  try {
    const value = parseJson(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
