import type { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requireRunnerNetwork } from '../../domain/accounts/workspaces/allow-networks.ts'
import { asService, type Context } from '../../domain/context.ts'
import { outdated } from '../../domain/engine/orders/find-order.ts'
import type { GitToken, GitTokens } from '../../domain/engine/runners/git-tokens.ts'
import { relayGit } from '../../domain/engine/runners/relay.ts'
import { DomainError } from '../../domain/errors.ts'
import type { GitHost, GitRequest } from '../../domain/ports/git-host.ts'
import { plainAddress, takeTime } from '../../infra/http/server.ts'
import { bearer, type TokenServices } from '../http/bearer.ts'
import { sendSentence } from '../http/errors.ts'
import { refuseForNow, tellQuota } from '../http/quota.ts'
import { originOfRequest } from '../http/session.ts'

export interface GitServices extends TokenServices {
  gitHost: Pick<GitHost, 'relay'> | null
  gitTokens: GitTokens
}

type GitRoute = { Params: { run: string; fence: string }; Querystring: { service?: unknown } }
type GitCall = FastifyRequest<GitRoute>

const services = ['git-upload-pack', 'git-receive-pack'] as const

/** Of one order at a time; an honest one needs one. */
const mostOpen = 4

/** Longer than any host thinks about a push without a sign of life. */
const idleMs = 5 * 60_000

/**
 * Where git itself calls: the three requests of its protocol over HTTP, and none of the older one by which files are
 * read. What it sends and is sent goes through as it comes. It is let in by a git token of the order, which is all it
 * has.
 */
export async function gitRoutes(app: FastifyInstance, { gitHost, gitTokens, ...known }: GitServices) {
  const closing = new AbortController()
  // A client that is cut off asks again, and then reaches another process.
  const stopping = new DomainError('service_unavailable', 'This server is stopping. Try again in a moment.')
  app.addHook('preClose', async () => closing.abort(stopping))
  const open = new Map<string, number>()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_, body, done) => done(null, body))
  app.setErrorHandler(sendSentence)

  const admit = async (
    request: GitCall,
    reply: FastifyReply,
  ): Promise<{ ctx: Context; gitToken: GitToken }> => {
    const { db, clock, queue, limiter } = known
    reply.header('cache-control', 'no-store')
    const gitToken = gitTokens.open(bearer(request), clock.now())
    const { workspaceId, tokenId } = gitToken
    request.caller = { channel: 'runner', workspace: workspaceId }
    const quota = await limiter.take(tokenId)
    tellQuota(reply, quota)
    if (quota.refused) refuseForNow(reply, quota)
    await requireRunnerNetwork({ db, workspaceId }, plainAddress(request.ip))
    if (gitToken.run !== request.params.run || `${gitToken.fence}` !== request.params.fence) throw outdated()
    const ctx = asService({ db, clock, queue }, workspaceId)
    return { ctx: { ...ctx, channel: 'runner', origin: originOfRequest(request) }, gitToken }
  }
  const relay = async (
    request: GitCall,
    reply: FastifyReply,
    read: () => Omit<GitRequest, 'signal'>,
  ): Promise<FastifyReply> => {
    const { ctx, gitToken } = await admit(request, reply)
    const asked = read()
    const gone = new AbortController()
    const hungUp = new DomainError('invalid_request', 'Git closed the connection.')
    // Then nothing would say so any more.
    if (request.raw.socket.destroyed) throw hungUp
    const order = `${gitToken.workspaceId} ${gitToken.run}`
    const others = open.get(order) ?? 0
    if (others >= mostOpen)
      throw new DomainError(
        'rate_limited',
        `This work order already has ${mostOpen} git requests open. Try again when one is done.`,
      )
    open.set(order, others + 1)
    takeTime(request.raw, reply.raw, idleMs)
    reply.raw.once('close', () => {
      const left = open.get(order)! - 1
      if (left > 0) open.set(order, left)
      else open.delete(order)
      gone.abort(hungUp)
    })
    const signal = AbortSignal.any([gone.signal, closing.signal])
    const answer = await relayGit(ctx, gitHost, gitToken, { ...asked, signal })
    return reply.type(answer.type).send(answer.body)
  }

  const under = '/runner/v1/orders/:run/:fence/repository.git'
  app.get<GitRoute>(`${under}/info/refs`, { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'listRefs'
    return relay(request, reply, () => {
      const service = services.find((one) => one === request.query.service)
      if (!service)
        throw new DomainError('invalid_parameter', '`service` must be git-upload-pack or git-receive-pack.')
      return { service, body: null, headers: protocolOf(request, service) }
    })
  })
  for (const service of services)
    app.post<GitRoute>(`${under}/${service}`, async (request, reply) => {
      request.operation = service === 'git-upload-pack' ? 'fetchRepository' : 'pushBranch'
      return relay(request, reply, () => {
        const headers = { ...protocolOf(request, service), ...bodyHeaders(request, service) }
        return { service, body: request.raw as Readable, headers }
      })
    })
}

/** Pushes are read here, and there is one way to write them. */
function protocolOf({ headers }: GitCall, service: GitRequest['service']): Record<string, string> {
  const protocol = headers['git-protocol']
  return service === 'git-upload-pack' && typeof protocol === 'string' && /^version=[12]$/.test(protocol)
    ? { 'git-protocol': protocol }
    : {}
}

function bodyHeaders({ headers }: GitCall, service: GitRequest['service']): Record<string, string> {
  const { 'content-type': type, 'content-encoding': encoding, 'content-length': length } = headers
  const mayBeZipped = service === 'git-upload-pack'
  if (type !== `application/x-${service}-request` || (encoding && !(mayBeZipped && encoding === 'gzip')))
    throw new DomainError('unsupported_media_type', `The request is not one that git sends to ${service}.`)
  return {
    ...(encoding ? { 'content-encoding': encoding } : {}),
    ...(length ? { 'content-length': length } : {}),
  }
}
