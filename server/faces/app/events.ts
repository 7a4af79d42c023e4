import type { FastifyInstance } from 'fastify'
import { contextOfSession } from '../http/session.ts'
import { staleAfter } from './nouns.ts'
import { mayTakeAway, openPersonalStream, type StreamServices } from './personal-stream.ts'

const entryId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * One stream for each browser, of what to read again: `changed` with nouns, never with data, so that nobody hears what
 * they may not read. After a break the browser says what it heard last; `reset` tells it to read everything again.
 */
export function serveEvents(app: FastifyInstance, services: StreamServices): void {
  app.get('/api/w/:workspace/events', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'events'
    const ctx = await contextOfSession(services, request)
    const personId = request.caller!.actor!
    const given = request.headers['last-event-id']
    const after = typeof given === 'string' && entryId.test(given) ? given : null

    const { stream, mayGoOn } = openPersonalStream(services, ctx, request, reply)
    const listening = services.news.listen(ctx.workspaceId, after, async (news) => {
      // A session that was revoked, or a member who has left, hears nothing more, not even of that.
      if (mayTakeAway(news) && !(await mayGoOn())) return
      stream.send({
        id: news.at(-1)!.id,
        event: 'changed',
        data: staleAfter(news, personId),
      })
    })
    // A stream that hears nothing is worse than none: the browser comes back for another.
    const { last, missed, stop } = await listening.catch((error) => {
      stream.end()
      throw error
    })
    stream.onClose(stop)
    const id = last ? { id: last } : {}
    if (missed === null) stream.send({ ...id, event: 'reset', data: {} })
    else if (missed.length > 0) stream.send({ ...id, event: 'changed', data: staleAfter(missed, personId) })
    else stream.send({ ...id, event: 'listening', data: {} })
  })
}
