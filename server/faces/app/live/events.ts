import type { FastifyInstance } from 'fastify'
import { isMoment, type News } from '../../../domain/record/audit/news.ts'
import { contextOfSession } from '../../http/session.ts'
import { staleAfter } from './nouns.ts'
import { mayTakeAway, openPersonalStream, type StreamServices } from './personal-stream.ts'

/**
 * One stream for each browser, of what to read again: `changed` with nouns, never with data, so that no one receives
 * what they may not read. After a break the browser says what it heard last; `reset` tells it to read everything again.
 * Where a replica is read from, both say how far it has to be.
 */
export function serveEvents(app: FastifyInstance, services: StreamServices): void {
  app.get('/api/w/:workspace/events', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'events'
    const ctx = await contextOfSession(services, request)
    const personId = request.caller!.actor!
    const given = request.headers['last-event-id']
    const after = typeof given === 'string' && isMoment(given) ? given : null

    const { stream, mayGoOn } = openPersonalStream(services, ctx, request, reply)
    const tell = (news: readonly News[] | null, id: string, position: number | null) => {
      const from = position === null ? {} : { position }
      if (news === null) stream.send({ id, event: 'reset', data: from })
      else stream.send({ id, event: 'changed', data: { ...staleAfter(news, personId), ...from } })
    }
    const listening = services.news.listen(ctx.workspaceId, after, async (news, id, position) => {
      // A session that was revoked, or a member who has left, hears nothing more, not even of that.
      if (!mayTakeAway(news) || (await mayGoOn())) tell(news, id, position)
    })
    // A stream that hears nothing is worse than none: the browser comes back for another.
    const { moment, missed, position, stop } = await listening.catch((error) => {
      stream.end()
      throw error
    })
    stream.onClose(stop)
    // What the browser heard last, it may have heard from another version of the server.
    if (given !== undefined && after === null) tell(null, moment, position)
    else if (missed?.length === 0) stream.send({ id: moment, event: 'listening', data: {} })
    else tell(missed, moment, position)
  })
}
