import type { Role } from '@signalbox/contract/roles.ts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { findSession, type SignedIn } from '../../../domain/accounts/people/find-session.ts'
import { isAllowed } from '../../../domain/accounts/workspaces/networks.ts'
import type { News } from '../../../domain/record/audit/news.ts'
import { type EventStream, openEventStream } from '../../../infra/http/event-stream.ts'
import { plainAddress } from '../../../infra/http/server.ts'
import type { AuditFeed } from '../../http/audit-feed.ts'
import { sessionToken } from '../../http/cookie.ts'
import type { PersonalContext, SessionServices } from '../../http/session.ts'

export interface StreamServices extends SessionServices {
  news: AuditFeed
}

export interface PersonalStream {
  stream: EventStream
  /** Checks again whether the listener is still allowed to, and ends the stream when not. */
  mayGoOn(): Promise<boolean>
}

/** A browser has one stream for each workspace it shows and one for each log: this is more than anyone has open. */
const mostPerPerson = 50

/**
 * A stream to someone who is signed in and in the workspace of the path: `contextOfSession` has said so. It ends when
 * the session does, or the membership. A person who is still signed in receives `me` when their role has changed, or
 * before it ends: the page then reads who they are.
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
    // Where that cannot be determined, the stream goes on until the next check.
    const person = await findSession(services, token, workspace, false).catch(() => undefined)
    if (person === undefined) return !stream.closed
    const isRefused = person?.workspace && !isAdmitted(person.workspace, person, plainAddress(request.ip))
    const now = isRefused ? null : (person?.workspace?.role ?? null)
    if (person && now !== role) stream.send({ event: 'me', data: {} })
    role = now
    if (now === null) stream.end()
    return !stream.closed
  }
  const holder = { id: ctx.actor.userId, most: mostPerPerson }
  const stream = openEventStream(request, reply, { holder, onHeartbeat: mayGoOn })
  return { stream, mayGoOn }
}

/** As `contextOfSession` admits people: from where the workspace is used, and through the provider if it has to be. */
const isAdmitted = (
  workspace: NonNullable<SignedIn['workspace']>,
  { throughProvider }: SignedIn,
  address: string,
) => isAllowed(workspace.networks, address) && (throughProvider || !workspace.requiresSingleSignOn)

const takesAway =
  /^(member_removed|member_role_changed|session_revoked|signed_out|sign_in_method_changed|workspace_deleted|workspace_changed)$/

/** Whether one of these may have removed someone's access; null, too many to tell, may as well. */
export const mayTakeAway = (news: readonly News[] | null): boolean =>
  news === null || news.some(({ event }) => takesAway.test(event))
