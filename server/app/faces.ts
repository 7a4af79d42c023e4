import path from 'node:path'
import type { System } from '@signalbox/contract/app/system.ts'
import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { Challenges } from '../domain/engine/runners/challenges.ts'
import { GitTokens } from '../domain/engine/runners/git-tokens.ts'
import { TestMarks } from '../domain/on-call/signals/test-marks.ts'
import type { Identity } from '../domain/ports/identity.ts'
import { appFace } from '../faces/app/app.ts'
import { assetsFace } from '../faces/assets/assets.ts'
import { docsFace } from '../faces/docs/docs.ts'
import { healthFace } from '../faces/health/health.ts'
import { hooksFace } from '../faces/hooks/hooks.ts'
import { AuditFeed } from '../faces/http/audit-feed.ts'
import { Cursors } from '../faces/http/cursor.ts'
import { intakeFace, refuseOtherMethods } from '../faces/intake/intake.ts'
import { manageFace } from '../faces/manage/manage.ts'
import { Waits } from '../faces/mcp/calls/waits.ts'
import { mcpFace } from '../faces/mcp/mcp.ts'
import { OpenCalls } from '../faces/mcp/open-calls.ts'
import { restFace } from '../faces/rest/rest.ts'
import type { Polls } from '../faces/runner/polls.ts'
import { runnerFace } from '../faces/runner/runner.ts'
import { scimFace } from '../faces/scim/scim.ts'
import { signInFace } from '../faces/sign-in/sign-in.ts'
import { slackFace } from '../faces/slack/slack.ts'
import { readProgramFile } from '../infra/http/program-file.ts'
import { escaped } from '../integrations/chat/mrkdwn.ts'
import { slackProof } from '../integrations/connections/proofs/slack.ts'
import type { Admission } from './admission.ts'
import { currentSettingsOf } from './current-settings.ts'
import type { Engine } from './engine.ts'
import type { Http } from './http.ts'
import { cookieKeysOf } from './identity.ts'
import type { Intake } from './intake.ts'
import type { Base } from './parts.ts'
import { connectionsOf } from './ports.ts'
import type { Readiness } from './readiness.ts'
import { restartCommand } from './restart-command.ts'
import { version } from './version.ts'
import type { WebhooksPart } from './webhooks.ts'

/** `npm run build` makes it. */
const readProgram = () =>
  readProgramFile(path.join(import.meta.dirname, '..', '..', 'runner', 'dist', 'signalbox-runner.mjs'))

interface Beneath {
  readiness: Readiness
  http: Http
  admission: Admission
  engine: Engine
  intake: Intake
  identity: Identity
  polls: Polls
  webhooks: WebhooksPart
  readSystem: () => Promise<System>
}

/** The faces, each a plugin of its own, with what it needs. */
export function registerFaces(base: Base, beneath: Beneath): void {
  const shared = sharedByFaces(base, beneath)
  registerPages(beneath, shared)
  registerForPrograms(base, beneath, shared)
  registerManagement(base, beneath, shared)
  registerForPeople(base, beneath, shared)
  registerForTools(base, beneath, shared)
}

type Shared = ReturnType<typeof sharedByFaces>

/** What more than one of them needs. */
function sharedByFaces({ config, clock, log, storage: { db, secrets } }: Base, beneath: Beneath) {
  const { publicUrl } = beneath.http
  const { queue, ports } = beneath.engine
  const { proofs, receiver, refusals } = beneath.intake
  const intake = { sources: beneath.admission.sources, proofs, receiver, refusals }
  const { gitHost, tracker, splitter, work } = ports
  const isForeign = () => beneath.readiness.isForeign()
  const testMarks = new TestMarks(secrets.macKeys('test marks'))
  return {
    common: { db, clock, queue, publicUrl },
    paged: { cursors: new Cursors(secrets.macKeys('cursors')), auditKey: () => secrets.signing.publicKey },
    stories: { gitHost, tracker, splitter, work },
    news: new AuditFeed(db, (error) => log.warn({ err: error }, 'news could not be read')),
    intake,
    testMarks,
    signals: {
      ...{ ...intake, clock, path: signalPath(config.signalUrl), isForeign },
      limiter: beneath.admission.sourceLimiter,
      testMarks,
    },
  }
}

function registerPages({ readiness, http: { app } }: Beneath, { signals }: Shared): void {
  // With a host of its own, the intake has its addresses beside the pages.
  const beside = signals.path === '' ? refuseOtherMethods(signals) : async () => {}
  const web = path.join(import.meta.dirname, '..', '..', 'web')
  app.register(assetsFace, { folder: path.join(web, 'dist'), beside })
  app.register(docsFace, { folder: path.join(web, 'dist-manual') })
  app.register(healthFace, { isReady: async () => (await readiness.obstacle()) === null })
}

function registerForPrograms(
  { config, storage: { secrets }, telemetry }: Base,
  beneath: Beneath,
  shared: Shared,
): void {
  const { common, paged, stories, news } = shared
  const { app } = beneath.http
  const { authenticator, limiter, runnerLimiter, mcpLimiter, sessions, lives } = beneath.admission
  app.register(restFace, { ...common, ...paged, authenticator, limiter })
  const gitTokens = new GitTokens(secrets.macKeys('git passes'))
  const challenges = new Challenges(secrets.macKeys('runner challenges'))
  const admitting = { sessions, lives, gitTokens, challenges, polls: beneath.polls }
  const runners = { ...admitting, rates: config.exchangeRates, most: config.runners }
  const { gitHost } = stories
  const { changes } = beneath.engine.ports
  const limiting = { authenticator, limiter: runnerLimiter }
  app.register(runnerFace, {
    ...common,
    ...runners,
    ...limiting,
    gitHost,
    changes,
    readProgram,
    tracing: telemetry ?? null,
  })
  const openCalls = new OpenCalls(authenticator)
  beneath.admission.listen(openCalls)
  const agents = { authenticator, limiter: mcpLimiter, openCalls, waits: new Waits(news), version }
  app.register(mcpFace, { ...common, ...paged, ...agents, ...stories })
}

/** The management API does what the app does, with the same tools. */
function registerManagement({ config, storage: { secrets } }: Base, beneath: Beneath, shared: Shared): void {
  const { common, stories } = shared
  const { authenticator, limiter } = beneath.admission
  const { sender } = beneath.webhooks.calling
  const { connectors, chat } = beneath.engine.ports
  const { publicUrl, signalUrl } = beneath.http
  const tools = { secrets, sender, connectors, chat, gitHost: stories.gitHost, publicUrl, signalUrl }
  const { managementApi } = config
  beneath.http.app.register(manageFace, { ...common, authenticator, limiter, managementApi, tools })
}

function registerForPeople({ config, storage }: Base, beneath: Beneath, shared: Shared): void {
  const { common, paged, stories, news, intake, testMarks } = shared
  const { app, isHttps, signalUrl } = beneath.http
  const { identity, engine, webhooks } = beneath
  const { mailer, push, chat, connectors } = engine.ports
  const { sessionLife } = config
  const session = {
    cookieKeys: cookieKeysOf(storage),
    isHttps,
    secrets: storage.secrets,
    mailer,
    sessionLife,
  }
  app.register(signInFace, { ...common, ...session, identity })
  const connected = connectionsOf(config, engine.ports)
  const calling = { push, chat, connectors, webhooks: webhooks.calling }
  const ground = engine.ground
  const { readSystem } = beneath
  const tools = {
    connected,
    ...calling,
    signalUrl,
    intake,
    testMarks,
    readProgram,
    restart: restartCommand(),
    ground,
    readSystem,
    setToday: currentSettingsOf(config),
    founding: config.founding,
    managementApi: config.managementApi,
  }
  const { sessionLimiter } = beneath.admission
  const asked = { ...session, sessionLimiter, oidc: identity.oidc, news }
  app.register(appFace, { ...common, ...paged, ...asked, ...stories, ...tools })
}

function registerForTools({ clock, storage: { db, secrets } }: Base, beneath: Beneath, shared: Shared): void {
  const { app } = beneath.http
  const { queue, ports } = beneath.engine
  app.register(intakeFace, shared.signals)
  app.register(hooksFace, { db, clock, queue, connectors: ports.connectors, secrets })
  app.register(scimFace, { ...shared.common, limiter: beneath.admission.scimLimiter })
  app.register(slackFace, { ...shared.common, secrets, proof: slackProof, escaped })
}

/** The intake may be reached under an address of its own; here only its path matters. */
const signalPath = (signalUrl: string | null) =>
  signalUrl ? trimEnd(new URL(signalUrl).pathname, '/') : '/signals'
