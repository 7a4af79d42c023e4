import { Readable } from 'node:stream'
import { personalReads, personalWrites, reads, writes } from '@signalbox/contract/app/index.ts'
import type { Operation } from '@signalbox/contract/app/operation.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Context } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import { findSession, type SignedIn } from '../../domain/people/find-session.ts'
import { compressStream, encodingFor } from '../../infra/http/compress.ts'
import { parseQuery } from '../rest/parse.ts'
import { answers, personalAnswers } from './answers.ts'
import { sessionToken } from './cookie.ts'
import { inputOf, jsonBody } from './input.ts'
import { AppFile, type AppTools } from './operation.ts'
import { requireOwnPage } from './same-site.ts'

export interface AppServices extends Pick<Context, 'db' | 'clock' | 'queue'>, AppTools {
  /** Signs the session cookie. */
  cookieKey: string
  isHttps: boolean
}

type Input = Record<string, unknown>

/**
 * The web app's own API: every operation of the contract, for people who are signed in by cookie. An API token is not
 * looked at here. It is private: it changes with the app, and scripts use the REST API.
 */
export function appFace(app: FastifyInstance, services: AppServices): void {
  for (const [name, operation] of entriesOf(reads)) {
    app.get(`/api/w/:workspace/${name}`, { exposeHeadRoute: false }, async (request, reply) => {
      request.operation = name
      const ctx = await contextOf(services, request)
      const input = parseQuery(operation.input, request.query as Input)
      return send(reply, await answerOf(name)(ctx, input as never, services, reply))
    })
  }
  for (const [name, operation] of entriesOf(writes)) {
    const check = inputOf(operation.input)
    app.post(`/api/w/:workspace/${name}`, async (request, reply) => {
      request.operation = name
      requireOwnPage(request, services.publicUrl())
      const ctx = await contextOf(services, request)
      return send(reply, await answerOf(name)(ctx, check(jsonBody(request)) as never, services, reply))
    })
  }
  for (const [name, operation] of entriesOf(personalReads)) {
    app.get(`/api/${name}`, { exposeHeadRoute: false }, async (request, reply) => {
      request.operation = name
      const person = await signedIn(services, request)
      const input = parseQuery(operation.input, request.query as Input)
      return send(reply, await personalAnswerOf(name)(person, input as never, services, services))
    })
  }
  for (const [name, operation] of entriesOf(personalWrites)) {
    const check = inputOf(operation.input)
    app.post(`/api/${name}`, async (request, reply) => {
      request.operation = name
      requireOwnPage(request, services.publicUrl())
      const person = await signedIn(services, request)
      const input = check(jsonBody(request))
      return send(reply, await personalAnswerOf(name)(person, input as never, services, services))
    })
  }
}

const entriesOf = (operations: Record<string, Operation>) => Object.entries(operations)

// The two tables are complete by their types; looked up by name, the types of one entry cannot be told apart.
const answerOf = (name: string) => answers[name as keyof typeof answers] as LooseAnswer
type LooseAnswer = (ctx: Context, input: never, tools: AppTools, reply: FastifyReply) => Promise<unknown>
const personalAnswerOf = (name: string) =>
  personalAnswers[name as keyof typeof personalAnswers] as LoosePersonalAnswer
type LoosePersonalAnswer = (
  person: SignedIn,
  input: never,
  services: AppServices,
  tools: AppTools,
) => Promise<unknown>

async function signedIn(
  services: Pick<AppServices, 'db' | 'clock' | 'cookieKey' | 'isHttps'>,
  request: FastifyRequest,
  workspace?: string,
): Promise<SignedIn> {
  const token = sessionToken(request.headers, services.cookieKey, services.isHttps)
  const person = token && (await findSession(services, token, workspace))
  if (!person) throw new DomainError('not_signed_in', 'You are not signed in, or your session has ended.')
  request.person = person
  return person
}

/** The context of a person in the workspace of the path. Another's workspace looks like one that does not exist. */
export async function contextOf(services: AppServices, request: FastifyRequest): Promise<Context> {
  const slug = (request.params as { workspace: string }).workspace
  // What no slug can be is not looked for; PostgreSQL does not even take every text.
  const { personId, name, workspace } = await signedIn(services, request, isSlug(slug) ? slug : undefined)
  if (!workspace) throw new DomainError('not_found', `There is no workspace \`${slug}\` that you are in.`)
  const { db, clock, queue } = services
  return {
    db,
    clock,
    queue,
    workspaceId: workspace.id,
    actor: { type: 'human', name, userId: personId, role: workspace.role },
    channel: 'app',
    origin: { requestId: request.id },
  }
}

const isSlug = (text: string) => /^[a-z0-9-]{1,64}$/.test(text)

function send(reply: FastifyReply, answer: unknown): FastifyReply {
  if (reply.sent) return reply
  if (answer instanceof AppFile) return sendFile(reply, answer)
  return reply
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(typeof answer === 'string' ? answer : JSON.stringify(answer ?? null))
}

function sendFile(reply: FastifyReply, file: AppFile): FastifyReply {
  reply.headers({ ...file.headers, 'cache-control': 'no-store', vary: 'Accept-Encoding' })
  const encoding = encodingFor(reply.request.headers['accept-encoding'])
  if (!encoding) return reply.send(Readable.from(file.content))
  return reply.header('content-encoding', encoding).send(compressStream(file.content, encoding))
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the session cookie is known to live. */
    person?: SignedIn
  }
}
