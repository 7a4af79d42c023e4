import {
  Acquire,
  type Acquired,
  Beat,
  type Beaten,
  Challenge,
  CredentialAsk,
  imageFeature,
  Log,
  limits,
  protocolVersion,
  Register,
  type Registered,
  Reports,
  relayFeature,
  Spans,
  sessionHeader,
  surveyFeature,
} from '@signalbox/contract/runner/messages.ts'
import { QueueQuery } from '@signalbox/contract/runner/queue.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { digestOf } from '../../domain/accounts/tokens/value.ts'
import { byService, type Context } from '../../domain/context.ts'
import type { Rates } from '../../domain/engine/orders/bill.ts'
import { capabilitiesOf } from '../../domain/engine/orders/capabilities.ts'
import { findOrder, outdated } from '../../domain/engine/orders/find-order.ts'
import { leaseSeconds } from '../../domain/engine/orders/orders.ts'
import { readQueue } from '../../domain/engine/orders/read-queue.ts'
import { beat, hasNews } from '../../domain/engine/runners/beat.ts'
import { challengeRunner } from '../../domain/engine/runners/challenge.ts'
import type { Challenges } from '../../domain/engine/runners/challenges.ts'
import { credentialFor } from '../../domain/engine/runners/credential.ts'
import type { GitTokens } from '../../domain/engine/runners/git-tokens.ts'
import type { LastSeen } from '../../domain/engine/runners/last-seen.ts'
import { leave } from '../../domain/engine/runners/leave.ts'
import type { MostRunners } from '../../domain/engine/runners/refuse-too-many.ts'
import { registerRunner } from '../../domain/engine/runners/register.ts'
import type { KnownSession, Sessions } from '../../domain/engine/runners/sessions.ts'
import { claimOrder } from '../../domain/engine/supervision/claim.ts'
import { takeReports } from '../../domain/engine/supervision/take-reports.ts'
import { takeSpans } from '../../domain/engine/supervision/take-spans.ts'
import { DomainError } from '../../domain/errors.ts'
import type { ChangeReader } from '../../domain/ports/change-reader.ts'
import type { GitHost } from '../../domain/ports/git-host.ts'
import type { Tracing } from '../../domain/ports/tracing.ts'
import { keepFile } from '../../domain/work/files/keep.ts'
import { readFileOfRun } from '../../domain/work/files/read-of-run.ts'
import { appendLog } from '../../domain/work/runs/log/append.ts'
import { admitToken, bearer, type TokenServices } from '../http/bearer.ts'
import { queryReader } from '../http/input.ts'
import { ownPaths } from '../http/paths.ts'
import { type DownloadServices, serveProgram } from './download.ts'
import { gitRoutes } from './git.ts'
import { bytesOf, messageReader } from './message.ts'
import type { Polls } from './polls.ts'

export interface RunnerServices extends TokenServices, DownloadServices {
  sessions: Sessions
  lives: LastSeen
  polls: Polls
  rates: Rates
  /** Null: none is connected. */
  gitHost: Pick<GitHost, 'credential' | 'relay'> | null
  changes: ChangeReader
  /** What lets git through to hosts that know only a connection's own secret. */
  gitTokens: GitTokens
  /** What a runner signs to be let in. */
  challenges: Challenges
  most: MostRunners & { workspaceBytes: number }
  /** Null: nothing is traced. */
  tracing: Pick<Tracing, 'record'> | null
}

const intervals = { pollSeconds: 30, beatSeconds: 15 }

/** What this server may send and take beyond the first version. */
const features: string[] = [surveyFeature, relayFeature, imageFeature]

/** One order of a runner, as its address names it. */
type OrderRoute = { Params: { run: string; fence: string; sha256: string } }

/**
 * Where runners ask for work and report on it; docs/runner-protocol.md tells it in words. They are always the
 * ones who call. Any token of the workspace will do, whatever its permissions.
 */
export async function runnerFace(app: FastifyInstance, services: RunnerServices): Promise<void> {
  const { sessions, lives, polls } = services
  const read = {
    challenge: messageReader(Challenge),
    register: messageReader(Register),
    acquire: messageReader(Acquire),
    beat: messageReader(Beat),
    reports: messageReader(Reports),
    log: messageReader(Log),
    credential: messageReader(CredentialAsk),
    spans: messageReader(Spans),
    queue: queryReader(QueueQuery),
  }
  app.addHook('preClose', async () => polls.close())

  const speak = async (request: FastifyRequest, reply: FastifyReply, operation: string): Promise<Speaker> => {
    request.operation = operation
    reply.header('cache-control', 'no-store')
    const { ctx, holder } = await admitToken(services, request, reply, 'runner')
    const session = await sessionOf(sessions, request, ctx.workspaceId, holder.tokenId)
    lives.note(session.session)
    return { ctx: byService(ctx), session }
  }
  const speakOf = async (request: FastifyRequest<OrderRoute>, reply: FastifyReply, operation: string) => {
    const { ctx, session } = await speak(request, reply, operation)
    const { run, fence } = request.params
    if (!/^\d{1,9}$/.test(fence)) throw new DomainError('not_found', 'The fence must be a number.')
    return { ctx, session, order: await findOrder(ctx, session.runnerId, { run, fence: Number(fence) }) }
  }

  app.post('/runner/v1/challenge', async (request, reply) => {
    request.operation = 'challengeRunner'
    reply.header('cache-control', 'no-store')
    const { ctx } = await admitToken(services, request, reply, 'runner')
    return challengeRunner(ctx, services.challenges, read.challenge(request))
  })

  app.post('/runner/v1/register', { bodyLimit: limits.reportBytes }, async (request, reply) => {
    request.operation = 'registerRunner'
    reply.header('cache-control', 'no-store')
    const { ctx, holder } = await admitToken(services, request, reply, 'runner')
    try {
      const token = { id: holder.tokenId, hash: digestOf(bearer(request)) }
      const registered = await registerRunner(ctx, { ...services, token }, read.register(request))
      polls.forget(registered.session)
      const answer: Registered = {
        ...registered,
        ...{ protocol: protocolVersion, features, serverTime: ctx.clock.now().toISOString() },
        ...{ ...intervals, leaseSeconds, limits },
      }
      return answer
    } catch (error) {
      if (error instanceof DomainError && error.code === 'session_alive')
        reply.header('retry-after', Number(error.beside.retrySeconds))
      throw error
    }
  })

  app.post('/runner/v1/acquire', async (request, reply) => {
    const { doubts } = polls
    const { ctx, session } = await speak(request, reply, 'acquireOrder')
    const { ask, free } = read.acquire(request)
    lives.note(session.session, { free })
    const wait = new Wait(services, request, { ctx, session, ask, free })
    const order = await wait.forOrder(waitSeconds(request), goneSignal(reply), doubts)
    if (!order) return reply.code(204).send()
    const answer: Acquired = { order, cursor: String(polls.version(ctx.workspaceId)) }
    return answer
  })

  app.post('/runner/v1/beat', async (request, reply) => {
    const { ctx, session } = await speak(request, reply, 'beat')
    const answer: Beaten = { ...(await beat(ctx, session, read.beat(request), lives)), ...intervals }
    return answer
  })

  app.post<OrderRoute>(
    '/runner/v1/orders/:run/:fence/reports',
    { bodyLimit: limits.reportBytes },
    async (request, reply) => {
      const { ctx, order } = await speakOf(request, reply, 'reportWork')
      return takeReports(ctx, order, read.reports(request).reports, services)
    },
  )

  app.post<OrderRoute>(
    '/runner/v1/orders/:run/:fence/log',
    { bodyLimit: limits.chunkBytes * 8 },
    async (request, reply) => {
      const { ctx, order } = await speakOf(request, reply, 'printWork')
      const chunk = read.log(request)
      if (!order.isOpen || (await appendLog(ctx, order, chunk, undefined, { gapless: true })) === 'stop')
        throw outdated()
      return { verdict: 'go_on', next: chunk.number + 1 }
    },
  )

  app.post<OrderRoute>('/runner/v1/orders/:run/:fence/spans', async (request, reply) => {
    const { ctx, order } = await speakOf(request, reply, 'traceWork')
    await takeSpans(ctx, order, read.spans(request).spans, services.tracing)
    return reply.code(204).send()
  })

  app.put<OrderRoute>(
    '/runner/v1/orders/:run/:fence/files/:sha256',
    { bodyLimit: limits.fileBytes },
    async (request, reply) => {
      const { ctx, order } = await speakOf(request, reply, 'keepFile')
      const sha256 = hashOf(request)
      if (!order.isOpen) throw outdated()
      const isNew = await keepFile(ctx, { order, sha256, bytes: bytesOf(request) }, services.most)
      return reply.code(isNew ? 201 : 200).send({ sha256 })
    },
  )

  app.get<OrderRoute>(
    '/runner/v1/orders/:run/:fence/files/:sha256',
    { exposeHeadRoute: false },
    async (request, reply) => {
      const { ctx, order } = await speakOf(request, reply, 'readFile')
      if (!order.isOpen) throw outdated()
      return reply
        .type('application/octet-stream')
        .send(await readFileOfRun(ctx, order.runId, hashOf(request)))
    },
  )

  app.post<OrderRoute>('/runner/v1/orders/:run/:fence/credential', async (request, reply) => {
    const { ctx, order, session } = await speakOf(request, reply, 'readCredential')
    const { access, repository } = read.credential(request)
    return credentialFor(ctx, services, { order, session }, access, repository)
  })

  app.register(gitRoutes, services)

  // For what starts runners, which has their token and no session.
  app.get('/runner/v1/queue', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'readRunnerQueue'
    reply.header('cache-control', 'no-store')
    const { ctx } = await admitToken(services, request, reply, 'runner')
    const { labels, agents } = read.queue(request.query) as QueueQuery
    return readQueue(ctx, { labels: listed(labels) ?? [], agents: listed(agents) })
  })

  app.post('/runner/v1/leave', async (request, reply) => {
    const { ctx, session } = await speak(request, reply, 'leave')
    await leave(ctx, session)
    sessions.forget(session.session)
    polls.forget(session.session)
    return reply.code(204).send()
  })

  serveProgram(app, services)
  ownPaths(app, ['/runner'])
}

interface Speaker {
  /** What a runner reports is the service's doing. */
  ctx: Context
  session: KnownSession
}

/** A runner that waits for an order: it is asked again who it is whenever that may have changed. */
class Wait {
  readonly #services: RunnerServices
  readonly #request: FastifyRequest
  readonly #asked: Speaker & { ask: string; free: number }

  constructor(
    services: RunnerServices,
    request: FastifyRequest,
    asked: Speaker & { ask: string; free: number },
  ) {
    this.#services = services
    this.#request = request
    this.#asked = asked
  }

  /** Null: there was none in time. `doubts` is how the polls stood before the caller was asked who it is. */
  async forOrder(seconds: number, gone: AbortSignal, doubts: number) {
    const { polls } = this.#services
    const { ask, free } = this.#asked
    const endsAtMs = performance.now() + seconds * 1000
    let { session } = this.#asked
    const { workspaceId } = session
    const since = { doubts, version: 0 }
    let isCalled = false
    try {
      for (;;) {
        since.version = polls.version(workspaceId)
        // Let go before its time, a runner beats, and hears what there is to say.
        if (hasNews(session)) return null
        const leftMs = Math.max(0, endsAtMs - performance.now())
        // Who does not wait cannot be called.
        const order = await this.#look(session, isCalled || leftMs === 0 || !polls.isBehind(session))
        if (order) return order
        if (isCalled) polls.callNext(workspaceId)
        isCalled = false
        const end = await polls.wait({ session, ask, mostMs: leftMs, gone, isFull: free === 0 }, since)
        isCalled = end === 'called'
        if (end === 'closing')
          throw new DomainError('service_unavailable', 'This server is stopping. Try again in a moment.')
        if (end !== 'called' && end !== 'missed' && end !== 'doubt') return null
        since.doubts = polls.doubts
        session = await this.#again()
      }
    } finally {
      // Whatever has happened to this one, the others have their turn.
      if (isCalled) polls.callNext(workspaceId)
    }
  }

  async #look(session: KnownSession, isItsTurn: boolean) {
    const { polls, rates } = this.#services
    const { ctx, ask, free } = this.#asked
    if (session.state !== 'active' || free === 0 || !polls.isWorthALook(session, ask)) return null
    const version = polls.version(ctx.workspaceId)
    const runner = { ...session, capabilities: capabilitiesOf(session) }
    const { order, isNoneForKind } = await claimOrder(ctx, runner, { ask, isItsTurn }, rates)
    if (order) polls.forget(session.session)
    else if (!isItsTurn) polls.noteBehind(session, ask)
    else polls.noteLook(session, ask, { version, isNoneForKind })
    return order
  }

  async #again(): Promise<KnownSession> {
    const { authenticator, sessions } = this.#services
    const { workspaceId, tokenId } = await authenticator.authenticate(bearer(this.#request))
    return sessionOf(sessions, this.#request, workspaceId, tokenId)
  }
}

async function sessionOf(
  sessions: Sessions,
  request: FastifyRequest,
  workspaceId: string,
  tokenId: string,
): Promise<KnownSession> {
  const number = request.headers[sessionHeader.toLowerCase()]
  if (typeof number !== 'string' || !/^\d{1,15}$/.test(number))
    throw new DomainError('invalid_request', `Send the session number in the header ${sessionHeader}.`)
  const session = await sessions.find(Number(number))
  if (session?.workspaceId !== workspaceId || session.tokenId !== tokenId)
    throw new DomainError('session_over', 'This session has ended. Register again.')
  return session
}

/** A runner may say that it waits for less: `Prefer: wait=5`. */
function waitSeconds(request: FastifyRequest): number {
  const wanted = /\bwait=(\d{1,4})\b/.exec(String(request.headers.prefer ?? ''))?.[1]
  return Math.min(intervals.pollSeconds, Number(wanted ?? intervals.pollSeconds))
}

function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

const listed = (words: string | undefined): string[] | null =>
  words === undefined ? null : words.split(',').map((word) => word.trim())

function hashOf({ params: { sha256 } }: FastifyRequest<OrderRoute>): string {
  if (/^[0-9a-f]{64}$/.test(sha256)) return sha256
  throw new DomainError(
    'invalid_request',
    'The file name must be the SHA-256 of its content: 64 lowercase hex digits.',
  )
}
