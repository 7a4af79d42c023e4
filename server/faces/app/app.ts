import { personalReads, personalWrites, reads, writes } from '@signalbox/contract/app/index.ts'
import type { Operation } from '@signalbox/contract/app/operation.ts'
import { positionHeader } from '@signalbox/contract/position.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type SignedIn, sessionDigest } from '../../domain/accounts/people/find-session.ts'
import type { Origin } from '../../domain/context.ts'
import { onReplica } from '../../domain/on-replica.ts'
import { endEventStreams } from '../../infra/http/event-stream.ts'
import type { RateLimiter } from '../../infra/http/rate-limit.ts'
import { sessionToken } from '../http/cookie.ts'
import { FileResponse, sendFile } from '../http/file.ts'
import { bodyReader, queryReader } from '../http/input.ts'
import { ownPaths } from '../http/paths.ts'
import { refuseForNow } from '../http/quota.ts'
import { requireOwnPage } from '../http/same-site.ts'
import {
  contextOfSession,
  originOfSession,
  type PersonalContext,
  personOf,
  requireFreshProof,
} from '../http/session.ts'
import { handlers, personalHandlers } from './handlers.ts'
import { serveEvents } from './live/events.ts'
import type { StreamServices } from './live/personal-stream.ts'
import { serveRunLogs } from './live/run-log.ts'
import type { AppTools } from './operation.ts'
import { replicaReads } from './replica-reads.ts'
import { serveGithubApp } from './tools/github-app.ts'

export interface AppServices extends AppTools, StreamServices {
  /** By session. Each node counts for itself. */
  sessionLimiter: RateLimiter
}

/**
 * The web app's own API: every operation of the contract, for people who are signed in by cookie. An API token is not
 * looked at here. It is private: it changes with the app, and scripts use the REST API.
 */
export async function appFace(app: FastifyInstance, services: AppServices): Promise<void> {
  app.addHook('onRequest', async (request, reply) => limitSession(services, request, reply))
  serveOperations(app, services)
  servePersonalOperations(app, services)
  serveEvents(app, services)
  serveRunLogs(app, services)
  serveGithubApp(app, services)
  ownPaths(app, ['/api'])
  app.addHook('preClose', async () => endEventStreams(app))
}

/** A page that asks without end, or a script with a stolen cookie, takes no one else's turn. */
function limitSession(services: AppServices, request: FastifyRequest, reply: FastifyReply): void {
  const token = sessionToken(services, request)
  const quota = token === null ? null : services.sessionLimiter.count(sessionDigest(token))
  if (quota?.refused) refuseForNow(reply, quota)
}

function serveOperations(app: FastifyInstance, services: AppServices): void {
  for (const [name, operation] of entriesOf(reads)) {
    const inputOf = queryReader(operation.input)
    app.get(`/api/w/:workspace/${name}`, { exposeHeadRoute: false }, async (request, reply) => {
      request.operation = name
      const ctx = await contextOfSession(services, request)
      const input = inputOf(request.query)
      const reading = replicaReads.has(name) ? await onReplica(ctx, seenBy(request)) : ctx
      return send(reply, await handlerOf(name)(reading, input as never, services, reply))
    })
  }
  for (const [name, operation] of entriesOf(writes)) {
    const inputOf = bodyReader(operation.input)
    app.post(`/api/w/:workspace/${name}`, async (request, reply) => {
      request.operation = name
      requireOwnPage(request, services.publicUrl())
      const ctx = await contextOfSession(services, request)
      if (operation.needsProof) requireFreshProof(services, ctx.provenAt)
      return send(reply, await handlerOf(name)(ctx, inputOf(request) as never, services, reply))
    })
  }
}

function servePersonalOperations(app: FastifyInstance, services: AppServices): void {
  for (const [name, operation] of entriesOf(personalReads)) {
    const inputOf = queryReader(operation.input)
    app.get(`/api/${name}`, { exposeHeadRoute: false }, async (request, reply) => {
      request.operation = name
      const person = await personOf(services, request)
      const input = inputOf(request.query)
      const recording = { ...services, origin: originOfSession(request, person.method) }
      return send(reply, await personalHandlerOf(name)(person, input as never, recording, services, request))
    })
  }
  for (const [name, operation] of entriesOf(personalWrites)) {
    const inputOf = bodyReader(operation.input)
    app.post(`/api/${name}`, async (request, reply) => {
      request.operation = name
      requireOwnPage(request, services.publicUrl())
      const person = await personOf(services, request)
      const input = inputOf(request)
      const recording = { ...services, origin: originOfSession(request, person.method) }
      return send(reply, await personalHandlerOf(name)(person, input as never, recording, services, request))
    })
  }
}

/** What the stream of events told the page: it asks because of that. */
function seenBy({ headers: { [positionHeader]: given } }: FastifyRequest): number {
  return typeof given === 'string' && /^\d{1,15}$/.test(given) ? Number(given) : 0
}

const entriesOf = (operations: Record<string, Operation>) => Object.entries(operations)

// The two tables are complete by their types; looked up by name, an entry has the types of all of them.
const handlerOf = (name: string) => handlers[name as keyof typeof handlers] as LooseHandler
type LooseHandler = (
  ctx: PersonalContext,
  input: never,
  tools: AppTools,
  reply: FastifyReply,
) => Promise<unknown>
const personalHandlerOf = (name: string) =>
  personalHandlers[name as keyof typeof personalHandlers] as LoosePersonalHandler
type LoosePersonalHandler = (
  person: SignedIn,
  input: never,
  services: Pick<AppServices, 'db' | 'clock' | 'queue'> & { origin: Origin },
  tools: AppTools,
  request: FastifyRequest,
) => Promise<unknown>

function send(reply: FastifyReply, body: unknown): FastifyReply {
  if (reply.sent) return reply
  if (body instanceof FileResponse) return sendFile(reply, body, 'Accept-Encoding')
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(typeof body === 'string' ? body : JSON.stringify(body ?? null))
}
