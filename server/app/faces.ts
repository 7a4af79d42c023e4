import path from 'node:path'
import type { Identity } from '../domain/ports/identity.ts'
import { Passes } from '../domain/runners/passes.ts'
import { appFace } from '../faces/app/app.ts'
import { assetsFace } from '../faces/assets/assets.ts'
import { healthFace } from '../faces/health/health.ts'
import { hooksFace } from '../faces/hooks/hooks.ts'
import { Cursors } from '../faces/http/cursor.ts'
import { NewsDesk } from '../faces/http/news-desk.ts'
import { intakeFace, refuseOtherMethods } from '../faces/intake/intake.ts'
import { Waits } from '../faces/mcp/calls/waits.ts'
import { mcpFace } from '../faces/mcp/mcp.ts'
import { OpenCalls } from '../faces/mcp/open-calls.ts'
import { restFace } from '../faces/rest/rest.ts'
import type { Polls } from '../faces/runner/polls.ts'
import { runnerFace } from '../faces/runner/runner.ts'
import { signInFace } from '../faces/sign-in/sign-in.ts'
import { slackFace } from '../faces/slack/slack.ts'
import { escaped } from '../integrations/chat/mrkdwn.ts'
import { slackProof } from '../integrations/connections/proofs/slack.ts'
import type { Admission } from './admission.ts'
import type { Engine } from './engine.ts'
import type { Http } from './http.ts'
import { cookieKeyOf } from './identity.ts'
import type { Intake } from './intake.ts'
import type { Base } from './parts.ts'
import { connectionsOf } from './ports.ts'
import { version } from './version.ts'
import type { WebhooksPart } from './webhooks.ts'

/** The faces, each a plugin of its own, with what it needs. */
export function registerFaces(
  { config, clock, log, storage }: Base,
  parts: {
    http: Http
    admission: Admission
    engine: Engine
    intake: Intake
    identity: Identity
    polls: Polls
    webhooks: WebhooksPart
  },
): void {
  const { db, secrets } = storage
  const { app, publicUrl, signalUrl, isHttps } = parts.http
  const { authenticator, limiter, runnerLimiter, mcpLimiter, sessions, lives, sources } = parts.admission
  const { proofs, receiver, refusals } = parts.intake
  const { queue, ports } = parts.engine
  const { identity } = parts
  const { mailer, push, splitter, chat, connectors, gitHost, tracker, work } = ports
  const { publicKey } = secrets.signing
  const common = { db, clock, queue, publicUrl }
  const paged = { cursors: new Cursors(secrets.derive('cursors')), publicKey }
  const session = { cookieKey: cookieKeyOf(storage), isHttps, secrets, mailer }
  const intake = { sources, proofs, receiver, refusals }
  const news = new NewsDesk(db, (error) => log.warn({ err: error }, 'news could not be read'))
  const connected = connectionsOf(config, ports)

  const signals = { ...intake, clock, path: signalPath(config.signalUrl) }
  // With a host of its own, the intake has its addresses beside the pages.
  const beside = signals.path === '' ? refuseOtherMethods(signals) : async () => {}
  app.register(assetsFace, { folder: path.join(import.meta.dirname, '..', '..', 'web', 'dist'), beside })
  app.register(healthFace, { askDatabase: () => storage.ping() })
  app.register(restFace, { ...common, ...paged, authenticator, limiter })
  const rates = config.exchangeRates
  const runners = {
    authenticator,
    limiter: runnerLimiter,
    sessions,
    lives,
    polls: parts.polls,
    rates,
    gitHost,
    passes: new Passes(secrets.derive('git passes')),
  }
  app.register(runnerFace, { ...common, ...runners })
  const openCalls = new OpenCalls(authenticator)
  parts.admission.listen(openCalls)
  const agents = { authenticator, limiter: mcpLimiter, openCalls, waits: new Waits(news), version }
  app.register(mcpFace, { ...common, ...paged, ...agents, gitHost, tracker, splitter, work })
  app.register(signInFace, { ...common, ...session, identity })
  const tools = {
    signalUrl,
    oidc: identity.oidc,
    connected,
    push,
    splitter,
    chat,
    connectors,
    gitHost,
    tracker,
    work,
    intake,
    news,
    webhooks: parts.webhooks.calling,
  }
  app.register(appFace, { ...common, ...paged, ...session, ...tools })
  app.register(intakeFace, signals)
  app.register(hooksFace, { db, clock, queue, connectors, secrets })
  app.register(slackFace, { ...common, secrets, proof: slackProof, escaped })
}

/** The intake may be reached under an address of its own; here only its path matters. */
const signalPath = (signalUrl: string | null) =>
  signalUrl ? new URL(signalUrl).pathname.replace(/\/+$/, '') : '/signals'
