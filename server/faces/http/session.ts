import type { FastifyRequest } from 'fastify'
import { findSession, type SessionLife, type SignedIn } from '../../domain/accounts/people/find-session.ts'
import { requireAllowed } from '../../domain/accounts/workspaces/networks.ts'
import { requireProvider } from '../../domain/accounts/workspaces/require-single-sign-on.ts'
import type { Actor, Context, Origin } from '../../domain/context.ts'
import { DomainError } from '../../domain/errors.ts'
import { plainAddress } from '../../infra/http/server.ts'
import { type CookieServices, sessionToken } from './cookie.ts'

export interface SessionServices extends Pick<Context, 'db' | 'clock' | 'queue'>, CookieServices {
  sessionLife: SessionLife
}

/** Of a person who is signed in. */
export interface PersonalContext extends Context {
  actor: Extract<Actor, { type: 'human' }>
  /** When they last proved that it is they. */
  provenAt: Date
  /** Whether the identity provider made their session. */
  throughProvider: boolean
}

/** Who is signed in, by the request's cookie. An API token is not looked at. */
export async function personOf(
  services: SessionServices,
  request: FastifyRequest,
  workspace?: string,
): Promise<SignedIn> {
  const token = sessionToken(services, request)
  const person = token && (await findSession(services, token, workspace))
  if (!person) throw notSignedIn()
  request.caller = { channel: 'app', workspace: person.workspace?.id, actor: person.personId }
  return person
}

/** The context of a person in the workspace of the path. Another's workspace looks like one that does not exist. */
export async function contextOfSession(
  services: SessionServices,
  request: FastifyRequest,
): Promise<PersonalContext> {
  const slug = (request.params as { workspace: string }).workspace
  // What no slug can be is not looked for; PostgreSQL does not even take every text.
  const { personId, name, provenAt, method, throughProvider, workspace } = await personOf(
    services,
    request,
    isSlug(slug) ? slug : undefined,
  )
  if (!workspace) throw new DomainError('not_found', `You are not a member of a workspace \`${slug}\`.`)
  requireAllowed(workspace.networks, plainAddress(request.ip))
  requireProvider(workspace, throughProvider)
  const { db, clock, queue } = services
  return {
    db,
    clock,
    queue,
    workspaceId: workspace.id,
    actor: { type: 'human', name, userId: personId, role: workspace.role },
    channel: 'app',
    origin: originOfSession(request, method),
    provenAt,
    throughProvider,
  }
}

/** Refuses what a person who has only found an open browser should not be able to do. */
export function requireFreshProof({ clock, sessionLife }: SessionServices, provenAt: Date): void {
  const { provenSeconds } = sessionLife
  if (provenSeconds === 0 || clock.now().getTime() - provenAt.getTime() <= provenSeconds * 1000) return
  throw new DomainError(
    'proof_required',
    `Confirm your identity first: you did so more than ${Math.round(provenSeconds / 60)} minutes ago.`,
  )
}

/** How a person with a session is there, and from where. */
export const originOfSession = (request: FastifyRequest, method: string | null): Origin => ({
  ...originOfRequest(request),
  presence: method === 'passkey' ? 'passkey' : 'session',
})

/** The same of a person who is about to sign in. */
export const originOfRequest = ({ id, ip }: FastifyRequest): Origin => ({
  requestId: id,
  address: plainAddress(ip),
})

const isSlug = (text: string) => /^[a-z0-9-]{1,64}$/.test(text)

export const notSignedIn = () =>
  new DomainError('not_signed_in', 'You are not signed in, or your session has ended.')
