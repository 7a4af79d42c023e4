import { dictionary } from '@signalbox/contract/dictionary.ts'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  type Attempt,
  beginAttempt,
  beginVisit,
  forgiveAttempt,
} from '../../domain/accounts/people/attempts.ts'
import {
  findPerson,
  findPersonOfChallenge,
  findPersonOfPasskey,
  type Person,
} from '../../domain/accounts/people/find-person.ts'
import { findSession, type SignedIn, sessionDigest } from '../../domain/accounts/people/find-session.ts'
import { leaveFollowUp } from '../../domain/accounts/people/leave-follow-up.ts'
import {
  type Happening,
  identityConfirmed,
  methodChanged,
  passwordReset,
  type Recording,
  recordSigningIn,
  signedIn,
  signedOut,
} from '../../domain/accounts/people/record.ts'
import { spendCode } from '../../domain/accounts/people/spend-code.ts'
import { isThroughProvider, noteThroughProvider } from '../../domain/accounts/people/terminal-codes.ts'
import { emailIn } from '../../domain/accounts/workspaces/add-person.ts'
import { DomainError } from '../../domain/errors.ts'
import type { Identity, IdentityRequest, IdentityResponse, Transaction } from '../../domain/ports/identity.ts'
import type { Mailer } from '../../domain/ports/mailer.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { addressOf } from '../../infra/http/server.ts'
import {
  boundCookie,
  cookieName,
  ownCookies,
  resigned,
  sessionToken,
  signedToken,
  signedValue,
} from '../http/cookie.ts'
import { bodyReader } from '../http/input.ts'
import { requireOwnPage } from '../http/same-site.ts'
import { notSignedIn, originOfRequest, requireFreshProof, type SessionServices } from '../http/session.ts'
import { provenPath, type Way, ways } from './ways.ts'

export interface SignInServices extends SessionServices {
  identity: Identity
  publicUrl: () => string
  /** Null: no mail is sent. */
  mailer: Mailer | null
}

type Body = Record<string, unknown>

const resetRequest = '/request-password-reset'

/** One request, and what is known of it before the library is asked. */
interface Asked {
  way: Way
  request: FastifyRequest
  input: Body
  session: SignedIn | null
  attempt: Attempt | null
  recording: Recording
}

/**
 * /api/auth: the paths of the sign-in library that are open, each with what it leaves in the audit log. What
 * cannot be written there does not happen.
 */
export function serveAuth(app: FastifyInstance, services: SignInServices): void {
  for (const way of ways) {
    if (way.needsProvider && !services.identity.oidc) continue
    const inputOf = way.input && bodyReader(way.input)
    app.route({
      method: way.method,
      url: `/api/auth${way.path}`,
      exposeHeadRoute: false,
      handler: async (request, reply) => {
        request.operation = `auth${way.path}`
        if (way.method === 'POST') requireOwnPage(request, services.publicUrl())
        const input = inputOf?.(request) ?? {}
        return serve(services, way, request, reply, input)
      },
    })
  }
}

/** The same from within: a person who has just chosen a password is signed in with it. */
export async function signInWith(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  credentials: { email: string; password: string },
): Promise<void> {
  const way = ways.find(({ path }) => path === '/sign-in/email')!
  const asked = await askedOf(services, way, request, credentials)
  const response = await ask(services, asked)
  if (response.status !== 200) throw new Error(`the first sign-in was answered with ${response.status}`)
  setCookies(services, request, reply, response)
}

async function serve(
  services: SignInServices,
  way: Way,
  request: FastifyRequest,
  reply: FastifyReply,
  input: Body,
) {
  if (way.path === resetRequest && !services.mailer)
    throw new DomainError(
      'not_found',
      'This server cannot send email. Ask the person who runs it for a reset link.',
    )
  const asked = await askedOf(services, way, request, input)
  if (way.needsSession && !asked.session) throw notSignedIn()
  if (way.needsProof && asked.session) requireFreshProof(services, asked.session.provenAt)
  await begin(services, asked, reply)
  reply.header('cache-control', 'no-store')
  if (way.path === resetRequest) {
    await requestReset(services, asked)
    return reply.send({ ok: true })
  }
  const answered = await ask(services, asked)
  const response = proofOf(asked, answered) ? withoutSession(way, answered) : answered
  if (way.path === '/callback/oidc') return redirect(services, request, response, reply)
  if (response.status >= 400 && !isNotYet(way, response)) throw refusalOf(way, response)
  setCookies(services, request, reply, response)
  return reply
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(way.respond ? way.respond((response.body ?? {}) as Body) : { ok: true }))
}

async function askedOf(
  services: SignInServices,
  way: Way,
  request: FastifyRequest,
  input: Body,
): Promise<Asked> {
  const token = sessionToken(services, request)
  const session = token ? await findSession(services, token) : null
  const address = addressOf(request.ip)
  const { db, clock, queue } = services
  return {
    way,
    request,
    input,
    session,
    attempt: way.guessable ? { account: accountOf(way, input, session), address } : null,
    recording: { db, clock, queue, origin: originOfRequest(request) },
  }
}

/** Whose secret is guessed at. Those who ask for a link have a count of their own, or they could lock others out. */
function accountOf(way: Way, input: Body, session: SignedIn | null): string | null {
  if (typeof input.email === 'string') return `${way.path} ${input.email.trim().toLowerCase()}`
  const credential = (input.response as Body | undefined)?.id
  if (typeof credential === 'string') return `passkey ${credential}`
  return session && `session ${session.personId}`
}

async function begin(
  services: SignInServices,
  { way, request, session, attempt }: Asked,
  reply: FastifyReply,
): Promise<void> {
  const seconds =
    way.leavesRow && !session
      ? await beginVisit(services, addressOf(request.ip))
      : attempt && (await beginAttempt(services, attempt))
  if (!seconds) return
  reply.header('retry-after', String(seconds))
  const minutes = Math.ceil(seconds / 60)
  throw tooMany(`Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`)
}

/** Asks the library. What it changes, and what the log says about that, happen together or not at all. */
async function ask(services: SignInServices, asked: Asked): Promise<IdentityResponse> {
  const { way, request, attempt } = asked
  const isSpent = way.spendsCode && !(await spend(services, asked))
  const response = await recordSigningIn(asked.recording, async (begin) => {
    // Read before: the library removes the code as it opens the session.
    const fromProvider =
      way.polls === true && (await isThroughProvider(services.db, String(asked.input.device_code)))
    const answered = isSpent ? refused : await services.identity.respond(requestOf(services, asked), begin)
    if (answered.status >= 500) throw refusalOf(way, answered)
    const value = way.polls ? withSession(services, answered) : answered
    if (way.signsIn && hasFailed(services, way, value) && !isNotYet(way, value))
      await leaveFailure(services, asked, begin)
    if (way.path === '/device/approve' && value.status < 400 && asked.session?.throughProvider)
      await noteThroughProvider(await begin(), asked.session.personId, String(asked.input.userCode))
    return { value, happenings: happeningsOf(services, asked, value, fromProvider) }
  })
  if (attempt && response.status < 400) await forgiveAttempt(services, attempt)
  const token = way.signsIn && openedToken(services, response)
  const person = token && (await findSession(services, token))
  if (person) request.caller = { channel: 'app', actor: person.personId }
  return response
}

function requestOf(services: SignInServices, { way, request, input, session }: Asked): IdentityRequest {
  const mark = request.url.indexOf('?')
  return {
    method: way.method,
    path: way.library ?? way.path,
    query: way.method === 'GET' && mark >= 0 ? request.url.slice(mark) : '',
    body: way.method === 'POST' ? (way.sent?.(input, session) ?? input) : null,
    cookie: resigned(ownCookies(services, request), services.cookieKeys()),
    ipAddress: request.ip,
    userAgent: (request.headers['user-agent'] ?? '').slice(0, 500),
  }
}

const refused: IdentityResponse = {
  status: 401,
  body: null,
  location: null,
  setCookies: [],
  opened: null,
  reset: null,
  linked: null,
  authenticatedAt: null,
}

async function spend(services: SignInServices, asked: Asked): Promise<boolean> {
  const person = await personTried(services, asked)
  return !person || spendCode(services, person.id, String(asked.input.code))
}

/** Ours, not the library's: it takes longer for someone it knows. Asking never fails, so it always counts. */
async function requestReset(services: SignInServices, asked: Asked): Promise<void> {
  const email = emailIn(String(asked.input.email))
  const person = await findPerson(services.db, email)
  await housekeeping(services.db, 'note that a link is asked for', (tx) =>
    leaveFollowUp(tx, {
      personId: person?.id ?? null,
      method: null,
      requestId: asked.request.id,
      address: asked.recording.origin?.address ?? null,
      at: services.clock.now(),
    }),
  )
}

const hasFailed = (services: SignInServices, way: Way, response: IdentityResponse) =>
  response.status >= 400 || (way.path === '/callback/oidc' && !openedToken(services, response))

/** What the log says about it. */
function happeningsOf(
  services: SignInServices,
  asked: Asked,
  response: IdentityResponse,
  /** Of a terminal: whether its code was confirmed from a session of the identity provider. */
  fromProvider: boolean,
): Happening[] {
  const { way, session } = asked
  const token = openedToken(services, response)
  const opened = token ? response.opened : null
  const happenings: Happening[] = []
  if (response.linked)
    happenings.push(methodChanged(response.linked, { method: 'identity provider', action: 'added' }))
  if (hasFailed(services, way, response)) return happenings
  const proof = proofOf(asked, response)
  if (proof) {
    const now = services.clock.now()
    // A provider whose clock is ahead does not make a proof last longer.
    const at = proof.at && proof.at < now ? proof.at : now
    return [
      ...happenings,
      identityConfirmed(proof.session, proof.method, { opened: token && sessionDigest(token), at }),
    ]
  }
  // A code from a signed-in person enables the authenticator app.
  const confirms = session !== null && way.path.startsWith('/two-factor/')
  if (way.signsIn && opened && !confirms)
    happenings.push(
      signedIn(opened, way.signsIn, {
        digest: sessionDigest(token!),
        provenAt: response.authenticatedAt,
        throughProvider: fromProvider,
      }),
    )
  if (way.path === '/two-factor/verify-totp' && confirms && opened)
    happenings.push(methodChanged(session.personId, { method: 'authenticator app', action: 'added' }))
  if (way.changes && session) happenings.push(methodChanged(session.personId, way.changes))
  if (way.path === '/sign-out' && session) happenings.push(signedOut(session.personId))
  if (response.reset) happenings.push(passwordReset(response.reset))
  return happenings
}

/** What a person has proved who is signed in; null: it is a sign-in, or neither. */
function proofOf({ way, session }: Asked, response: IdentityResponse) {
  const isProof = way.proves || (way.path === '/callback/oidc' && response.location === provenPath)
  if (!isProof || !session || !response.opened) return null
  if (response.opened !== session.personId)
    throw new DomainError('sign_in_failed', 'This belongs to another account. Confirm with your own.')
  if (way.proves) return { session, method: way.proves, at: null }
  // That it was told to ask again is written in an address that the browser can change: only its own word counts.
  if (!response.authenticatedAt)
    throw new DomainError(
      'sign_in_failed',
      'Your identity provider doesn’t say when you signed in there (auth_time). Confirm with your password or a passkey, or sign out and back in.',
    )
  return { session, method: way.signsIn!, at: response.authenticatedAt }
}

/** The person has a session already, and goes on in it. */
const withoutSession = (way: Way, response: IdentityResponse): IdentityResponse => ({
  ...response,
  setCookies: way.proves ? [] : response.setCookies.filter((cookie) => !cookie.startsWith(`${cookieName}=`)),
})

/** The token in the cookie that an answer sets. */
function openedToken({ cookieKeys }: SignInServices, response: IdentityResponse): string | null {
  const set = response.setCookies.findLast((cookie) => cookie.startsWith(`${cookieName}=`))
  return set ? signedValue(set.split(';', 1)[0]!, cookieName, cookieKeys()) : null
}

/** It is not confirmed yet, or was refused, or it is too late: the terminal is told which. */
const isNotYet = (way: Way, { status }: IdentityResponse) => way.polls === true && status === 400

/** A terminal is given its session as a browser is: in a cookie, which the library sets for browsers alone. */
function withSession(services: SignInServices, response: IdentityResponse): IdentityResponse {
  const { access_token: token } = (response.body ?? {}) as { access_token?: string }
  if (response.status !== 200 || !token) return response
  const cookie = `${cookieName}=${signedToken(token, services.cookieKeys()[0]!)}; Path=/; HttpOnly; SameSite=Lax`
  return { ...response, body: {}, setCookies: [cookie] }
}

async function leaveFailure(
  services: SignInServices,
  asked: Asked,
  begin: () => Promise<Transaction>,
): Promise<void> {
  const { way, request, recording } = asked
  const person = await personTried(services, asked)
  await leaveFollowUp(await begin(), {
    personId: person?.id ?? null,
    method: way.signsIn!,
    requestId: request.id,
    address: recording.origin?.address ?? null,
    at: services.clock.now(),
  })
}

async function personTried(services: SignInServices, asked: Asked): Promise<Person | undefined> {
  const { way, input, request, session } = asked
  if (typeof input.email === 'string') return findPerson(services.db, input.email)
  const credential = (input.response as Body | undefined)?.id
  if (typeof credential === 'string') return findPersonOfPasskey(services.db, credential)
  // Any site can send a browser back to us with an error. That tells nothing of who is signed in there.
  if (way.path === '/callback/oidc') return undefined
  if (session) return { id: session.personId, name: session.name, email: session.email }
  const cookies = ownCookies(services, request)
  const challenge = signedValue(cookies, `${cookieName}.two_factor`, services.cookieKeys())
  return challenge === null ? undefined : findPersonOfChallenge(services.db, challenge)
}

/** Back from the identity provider: into the app, or to the sign-in page with a word about what was wrong. */
function redirect(
  services: SignInServices,
  request: FastifyRequest,
  response: IdentityResponse,
  reply: FastifyReply,
) {
  setCookies(services, request, reply, response)
  if (response.opened && response.location === provenPath) return reply.redirect(provenPath, 302)
  if (response.opened && openedToken(services, response))
    return reply.redirect(pathOf(response.location), 302)
  const said = new URL(response.location ?? '/', services.publicUrl()).searchParams.get('error') ?? ''
  return reply.redirect(`/login?error=${refusals[said] ?? 'oidc_failed'}`, 302)
}

function setCookies(
  services: SignInServices,
  request: FastifyRequest,
  reply: FastifyReply,
  response: IdentityResponse,
): void {
  const cookies = response.setCookies.map((cookie) => boundCookie(cookie, services, request))
  if (cookies.length > 0) reply.header('set-cookie', cookies)
}

const refusals: Record<string, string> = dictionary({
  signup_disabled: 'oidc_unknown_person',
  account_not_linked: 'oidc_not_verified',
})

/** Only ever a path of ours. */
const pathOf = (location: string | null) => (location && /^\/(?![/\\])/.test(location) ? location : '/')

function refusalOf(way: Way, { status, body }: IdentityResponse): Error {
  const { code = '' } = (body ?? {}) as { code?: string }
  if (status >= 500) return new Error(`the sign-in library answered ${way.path} with ${status} ${code}`)
  if (status === 429) return tooMany('Try again in 15 minutes.')
  if (code === 'SESSION_NOT_FRESH')
    return new DomainError('sign_in_again', 'Sign in again first: your session is more than a day old.')
  if (code === 'TOTP_ALREADY_ENABLED')
    return new DomainError('conflict', 'Two-factor authentication is already on.')
  if (code === 'TOTP_NOT_ENABLED' || code === 'TWO_FACTOR_NOT_ENABLED')
    return new DomainError('conflict', 'Two-factor authentication is not on.')
  if (code === 'CREDENTIAL_ACCOUNT_NOT_FOUND')
    return new DomainError('conflict', 'You have no password. Request a link to set one.')
  if (way.signsIn || (way.guessable && way.needsSession))
    return new DomainError('sign_in_failed', way.refusal ?? 'This was not accepted. Try again.')
  return new DomainError(
    'invalid_request',
    way.refusal ?? 'This was not possible. Reload the page and try again.',
  )
}

const tooMany = (when: string) => new DomainError('rate_limited', `Too many attempts. ${when}`)
