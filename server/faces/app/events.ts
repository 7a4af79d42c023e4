import type { FastifyInstance } from 'fastify'
import { findSession } from '../../domain/people/find-session.ts'
import { endEventStreams, openEventStream } from '../../infra/http/event-stream.ts'
import { type AppServices, contextOf } from './app.ts'
import { sessionToken } from './cookie.ts'
import { NewsDesk } from './news-desk.ts'
import { nounsOf } from './nouns.ts'

const entryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * One stream for each browser, of what to read again: `changed` with nouns, never with data, so that nobody hears what
 * they may not read. After a break the browser says what it heard last; `reset` tells it to read everything again.
 */
export function eventsFace(app: FastifyInstance, services: AppServices): void {
  const desk = new NewsDesk(services.db, (error) => app.log.warn({ err: error }, 'news could not be read'))
  app.get('/api/w/:workspace/events', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'events'
    const ctx = await contextOf(services, request)
    const slug = (request.params as { workspace: string }).workspace
    const token = sessionToken(request.headers, services.cookieKey, services.isHttps)!
    const given = request.headers['last-event-id']
    const after = typeof given === 'string' && entryId.test(given) ? given : null

    const stream = openEventStream(request, reply, async () => {
      // A session that was revoked, or a member who has left, hears nothing more.
      const person = await findSession(services, token, slug).catch(() => undefined)
      if (person !== undefined && !person?.workspace) stream.end()
    })
    const { last, missed, stop } = await desk.listen(ctx.workspaceId, after, (news) => {
      stream.send({
        id: news.at(-1)!.id,
        event: 'changed',
        data: { nouns: nounsOf(news.map(({ event }) => event)) },
      })
    })
    stream.onClose(stop)
    const id = last ? { id: last } : {}
    if (missed === null) stream.send({ ...id, event: 'reset', data: {} })
    else if (missed.length > 0)
      stream.send({ ...id, event: 'changed', data: { nouns: nounsOf(missed.map(({ event }) => event)) } })
    else stream.send({ ...id, event: 'listening', data: {} })
  })
  app.addHook('preClose', async () => endEventStreams(app))
}
