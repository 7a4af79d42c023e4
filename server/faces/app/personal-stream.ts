import type { Role } from '@signalbox/contract/roles.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { News } from '../../domain/audit/news.ts'
import { findSession } from '../../domain/people/find-session.ts'
import { type EventStream, openEventStream } from '../../infra/http/event-stream.ts'
import { sessionToken } from '../http/cookie.ts'
import type { NewsDesk } from '../http/news-desk.ts'
import type { PersonalContext, SessionServices } from '../http/session.ts'

export interface StreamServices extends SessionServices {
  news: NewsDesk
}

export interface PersonalStream {
  stream: EventStream
  /** Asks again whether whoever listens still may, and ends the stream when not. */
  mayGoOn(): Promise<boolean>
}

/** A browser has one stream for each workspace it shows and one for each log; nobody looks at as many. */
const mostPerPerson = 50

/**
 * A stream to somebody who is signed in and in the workspace of the path: `contextOfSession` has said so. It ends when the
 * session does, or the membership. Whoever is still signed in hears `me` when their role has changed, or before it ends:
 * the page then reads who they are.
 */
export function openPersonalStream(
  services: SessionServices,
  ctx: PersonalContext,
  request: FastifyRequest,
  reply: FastifyReply,
): PersonalStream {
  const { workspace } = request.params as { workspace: string }
  const token = sessionToken(services, request)!
  let role: Role | null = ctx.actor.role
  const mayGoOn = async () => {
    // Where nobody can say, it goes on until the next time it is asked.
    const person = await findSession(services, token, workspace).catch(() => undefined)
    if (person === undefined) return !stream.closed
    const now = person?.workspace?.role ?? null
    if (person && now !== role) stream.send({ event: 'me', data: {} })
    role = now
    if (now === null) stream.end()
    return !stream.closed
  }
  const holder = { id: ctx.actor.userId, most: mostPerPerson }
  const stream = openEventStream(request, reply, { holder, onHeartbeat: mayGoOn })
  return { stream, mayGoOn }
}

const takesAway =
  /^(member_removed|member_role_changed|session_revoked|signed_out|sign_in_method_changed|workspace_deleted)$/

/** Whether one of these may have taken from somebody what they were allowed; of too many nobody knows. */
export const mayTakeAway = (news: readonly News[] | null): boolean =>
  news === null || news.some(({ event }) => takesAway.test(event))
