import {
  InvitationAccept,
  type InvitationAccepted,
  type InvitationShown,
  Setup,
  type SetupState,
  type SignInWays,
} from '@signalbox/contract/app/sign-in.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptInvitation } from '../../domain/accounts/invitations/accept.ts'
import { findInvitation } from '../../domain/accounts/invitations/find.ts'
import { beginAttempt, forgiveAttempt } from '../../domain/accounts/people/attempts.ts'
import { findSession } from '../../domain/accounts/people/find-session.ts'
import { isSetUpNeeded, setUp } from '../../domain/accounts/workspaces/set-up.ts'
import { DomainError } from '../../domain/errors.ts'
import { addressOf } from '../../infra/http/server.ts'
import type { Secrets } from '../../infra/secrets.ts'
import { sessionToken } from '../http/cookie.ts'
import { bodyReader } from '../http/input.ts'
import { requireOwnPage } from '../http/same-site.ts'
import { originOfRequest } from '../http/session.ts'
import { type SignInServices, signInWith } from './auth.ts'

export interface WelcomeServices extends SignInServices {
  secrets: Pick<Secrets, 'derive'>
}

/** What people come upon before they are signed in: the ways to do so, the first run, and invitations. */
export function serveWelcome(app: FastifyInstance, services: WelcomeServices): void {
  const { db, clock, queue, identity } = services
  const recording = (request: FastifyRequest) => ({ db, clock, queue, origin: originOfRequest(request) })

  app.get('/api/sign-in', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'signIn.ways'
    identity.prepare()
    return send<SignInWays>(reply, {
      passkey: identity.passkeys(),
      oidc: identity.oidc,
      mail: services.mailer !== null,
      setup: await isSetUpNeeded(db),
    })
  })

  app.get('/api/setup', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'setup.state'
    return send<SetupState>(reply, { needed: await isSetUpNeeded(db) })
  })

  const setupOf = bodyReader(Setup)
  app.post('/api/setup', async (request, reply) => {
    request.operation = 'setup'
    requireOwnPage(request, services.publicUrl())
    const input = setupOf(request) as unknown as Setup
    await counted(services, request, reply, async () => {
      const person = await setUp({ ...recording(request), secrets: services.secrets }, input)
      await signInWith(services, request, reply, { email: person.email, password: input.password })
    })
    return send(reply, { workspace: input.workspace.slug })
  })

  app.get('/api/invitations/:code', { exposeHeadRoute: false }, async (request, reply) => {
    request.operation = 'invitation.read'
    const { readWorkspaceSlug, workspaceName, role, email, personId } = await findInvitation(
      services,
      codeOf(request),
    )
    return send<InvitationShown>(reply, {
      workspace: { slug: readWorkspaceSlug, name: workspaceName },
      role,
      email,
      exists: personId !== null,
    })
  })

  const acceptanceOf = bodyReader(InvitationAccept)
  app.post('/api/invitations/:code/accept', async (request, reply) => {
    request.operation = 'invitation.accept'
    requireOwnPage(request, services.publicUrl())
    const input = acceptanceOf(request) as { name?: string; password?: string }
    const token = sessionToken(services, request)
    const signedIn = token ? await findSession(services, token) : null
    const accepted = await acceptInvitation(recording(request), codeOf(request), { signedIn, ...input })
    if (accepted.isNew)
      await signInWith(services, request, reply, { email: accepted.email, password: input.password! })
    return send<InvitationAccepted>(reply, { workspace: accepted.workspace })
  })
}

/**
 * Guesses at the code of an empty server count like guesses at a password, but only against the guesser: the code is
 * too long to be found by many, and a count for all of them would let a stranger keep the operator out.
 */
async function counted(
  services: WelcomeServices,
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<void>,
): Promise<void> {
  const attempt = { account: null, address: addressOf(request.ip) }
  const seconds = await beginAttempt(services, attempt)
  if (seconds) {
    reply.header('retry-after', String(seconds))
    throw new DomainError('rate_limited', 'Too many attempts. Try again later.')
  }
  await work()
  await forgiveAttempt(services, attempt)
}

const codeOf = (request: FastifyRequest) => (request.params as { code: string }).code

const send = <T>(reply: FastifyReply, body: T) =>
  reply.header('cache-control', 'no-store').type('application/json; charset=utf-8').send(JSON.stringify(body))
