import path from 'node:path'
import { CheckpointLog } from './checkpoint-log.ts'
import type { Config } from './config.ts'
import { prepareMonths } from './domain/audit/prepare-months.ts'
import { asService } from './domain/context.ts'
import { forgetExpired } from './domain/people/forget-expired.ts'
import type { Certificates } from './domain/ports/certificates.ts'
import type { Ports } from './domain/ports/ports.ts'
import type { LogChunk, OrderRef, Verdict } from './domain/ports/work.ts'
import { appendLog } from './domain/runs/log/append.ts'
import { type Report, reportWork } from './domain/runs/report.ts'
import { newestCheckpoints } from './domain/seals/newest-checkpoints.ts'
import { sealAll } from './domain/seals/seal.ts'
import { forgetDeliveryKeys } from './domain/signals/forget-keys.ts'
import { prepareDeliveryMonths } from './domain/signals/prepare-months.ts'
import { proofsWith } from './domain/signals/proofs/index.ts'
import { Receiver } from './domain/signals/receive.ts'
import { Refusals } from './domain/signals/refusals.ts'
import { Sources } from './domain/signals/sources.ts'
import { Authenticator } from './domain/tokens/authenticate.ts'
import { appFace } from './faces/app/app.ts'
import { NewsDesk } from './faces/app/news-desk.ts'
import { assetsFace } from './faces/assets/assets.ts'
import { healthFace } from './faces/health/health.ts'
import { Cursors } from './faces/http/cursor.ts'
import { createHttp } from './faces/http/http.ts'
import { intakeFace } from './faces/intake/intake.ts'
import { operatorFace } from './faces/operator/operator.ts'
import { restFace } from './faces/rest/rest.ts'
import { signInFace } from './faces/sign-in/sign-in.ts'
import { performersFor } from './faces/worker/performers.ts'
import { type Worker, workerFace } from './faces/worker/tasks.ts'
import { uptimeFace } from './faces/worker/uptime.ts'
import { cookieKeyOf, identityFrom, isHttps } from './identity.ts'
import { type Clock, systemClock } from './infra/clock.ts'
import { joinCluster, type Node } from './infra/cluster.ts'
import { every } from './infra/every.ts'
import { RateLimiter } from './infra/http/rate-limit.ts'
import { originOf } from './infra/http/server.ts'
import { Jobs } from './infra/jobs/queue.ts'
import { createLog, type Logger } from './infra/log.ts'
import { createMetrics } from './infra/metrics.ts'
import { httpsCertificates } from './integrations/certificates/https.ts'
import { httpProbe } from './integrations/probes/http.ts'
import { connectionsOf, portsFrom } from './ports.ts'
import { openStorage, type Storage } from './storage.ts'

export interface App {
  url: string
  signalUrl: string
  storage: Storage
  clock: Clock
  stop(): Promise<void>
}

/** Takes what comes back from a work order. */
export type ReportWork = (order: OrderRef, report: Report) => Promise<Verdict>

/** Takes what is printed while a work order is done. */
export type PrintWork = (order: OrderRef, chunk: LogChunk) => Promise<Verdict>

export interface AppOptions {
  clock?: Clock
  log?: Logger
  /** Done once the database is there, before anybody is served and anything is started. */
  prepare?: (storage: Storage) => Promise<void>
  /** Where the certificates of a cloud's alarm service come from. */
  certificates?: Certificates
  /** Who does the work and where its results go. Without it nobody is connected. */
  connect?: (report: ReportWork, log: Logger, print: PrintWork) => Partial<Ports> & { stop?(): Promise<void> }
}

/**
 * Starts everything, in one straight function: what is above is needed by what is below. Stopping undoes the steps in
 * reverse.
 */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const clock = options.clock ?? systemClock
  const log = options.log ?? createLog({ level: config.logLevel })
  const undo: (() => Promise<unknown>)[] = []
  const stop = async () => {
    for (const step of undo.splice(0).reverse()) {
      await step().catch((error) => log.warn({ err: error }, 'a part did not stop cleanly'))
    }
  }

  try {
    const storage = await openStorage(config, log, 'serve')
    undo.push(() => storage.close())
    const { db, pool, secrets } = storage
    await Promise.all([prepareMonths(db, clock), prepareDeliveryMonths(db, clock)])
    await options.prepare?.(storage)
    const metrics = createMetrics({ pool })

    // Who may ask, and how often.
    let node: Node | undefined
    const authenticator = new Authenticator({ db, clock, node: () => node ?? notYetJoined })
    const limiter = new RateLimiter({ limit: config.rateLimitPerMinute, pool })
    const strangers = new RateLimiter({ limit: config.rateLimitPerMinute, pool })
    undo.push(() => authenticator.noteUses())
    const sources = new Sources({ db, secrets, node: () => node ?? notYetJoined })
    node = await joinCluster({
      pool,
      connection: storage.connection,
      onInvalidated: () => {
        authenticator.forget()
        sources.forget()
      },
      onCompany: (company) => limiter.share(company),
      onError: (error) =>
        log.warn({ err: error }, 'the lease could not be renewed; tokens are checked in the database'),
    })
    undo.push(() => node!.stop())

    // What happens without being asked for.
    const checkpoints = new CheckpointLog(config.dataDir)
    undo.push(async () => checkpoints.append(await newestCheckpoints(db), clock.now()))
    const loops = [
      every(1_000, 'seal the audit log', log, async () =>
        metrics.sealed.inc(await sealAll(db, secrets.signing, clock)),
      ),
      every(60_000, 'keep checkpoints', log, async () =>
        checkpoints.append(await newestCheckpoints(db), clock.now()),
      ),
      every(60_000, 'note token uses', log, () => authenticator.noteUses()),
      every(60_000, 'sweep request windows', log, () => Promise.all([limiter.sweep(), strangers.sweep()])),
      every(86_400_000, 'prepare the months ahead', log, () =>
        Promise.all([prepareMonths(db, clock), prepareDeliveryMonths(db, clock)]),
      ),
      every(3_600_000, 'forget old sessions', log, () => forgetExpired({ db, clock })),
      every(3_600_000, 'forget old deliveries', log, () => forgetDeliveryKeys({ db, clock })),
    ]
    undo.push(() => Promise.all(loops.map((loop) => loop.stop())))

    // Who does the work.
    const queue = new Jobs({
      pool,
      onError: (error) => log.warn({ err: error }, 'the job queue had trouble'),
    })
    undo.push(() => queue.stop())
    const ctxOf = ({ workspaceId }: OrderRef) => asService({ db, clock, queue }, workspaceId)
    const report: ReportWork = (order, event) => reportWork(ctxOf(order), order, event, config.exchangeRates)
    const print: PrintWork = (order, chunk) => appendLog(ctxOf(order), order, chunk)
    const connected = options.connect?.(report, log, print) ?? {}
    undo.push(async () => connected.stop?.())
    const ports: Ports = { ...portsFrom(config), ...connected }

    // What arrives from alerting tools. What is written before there is a worker is found by its first sweep.
    let worker: Worker | undefined
    const receiver = new Receiver({ db, clock, queue, onWritten: (id) => worker?.handleSignals(id) })
    const refusals = new Refusals({ db, clock })
    undo.push(() => receiver.stop())
    undo.push(() => refusals.write())
    const writing = every(5_000, 'count refused deliveries', log, () => refusals.write())
    undo.push(() => writing.stop())

    // The faces.
    const http = createHttp({ log, metrics, strangers, tls: config.tls, trustProxy: config.trustProxy })
    const publicUrl = () => config.publicUrl ?? originOf(http)
    const { mailer } = ports
    const identity = identityFrom(config, storage, { publicUrl, mailer, log })
    const proofs = proofsWith(options.certificates ?? httpsCertificates())
    const cursors = new Cursors(secrets.derive('cursors'))
    const { publicKey } = secrets.signing
    const session = { db, clock, queue, cookieKey: cookieKeyOf(storage), isHttps: isHttps(config) }
    http.register(assetsFace, { folder: path.join(import.meta.dirname, '..', 'web', 'dist') })
    http.register(healthFace, { askDatabase: () => pool.query('select 1') })
    http.register(restFace, { db, clock, queue, authenticator, limiter, cursors, publicKey, publicUrl })
    http.register(signInFace, { ...session, identity, secrets, mailer, publicUrl })
    http.register(appFace, {
      ...session,
      cursors,
      secrets,
      publicKey,
      publicUrl,
      signalUrl: () => config.signalUrl ?? `${publicUrl()}/signals`,
      mailer,
      oidc: identity.oidc,
      connected: connectionsOf(config, ports),
      splitter: ports.splitter,
      intake: { sources, proofs, receiver, refusals },
      news: new NewsDesk(db, (error) => log.warn({ err: error }, 'news could not be read')),
    })
    http.register(intakeFace, {
      path: signalPath(config.signalUrl),
      clock,
      sources,
      proofs,
      receiver,
      refusals,
    })
    undo.push(() => http.close())
    await http.listen({ port: config.port, host: config.host })
    const url = publicUrl()

    const performers = performersFor(ports, { secrets, publicUrl })
    worker = await workerFace({ db, clock, queue, work: ports.work, performers, log, metrics })
    undo.push(async () => worker?.stop())
    const probe = httpProbe({ allow: config.uptimeAllow })
    const uptime = uptimeFace({ db, clock, probe, receiver, log })
    const checking = every(1_000, 'check uptime', log, () => uptime.look())
    undo.push(() => uptime.stop())
    undo.push(() => checking.stop())

    if (config.operatorPort !== null) {
      const operator = await operatorFace(config.operatorPort, metrics)
      undo.push(() => new Promise((resolve) => operator.close(resolve)))
    }

    log.info({ url }, 'serving')
    return { url, signalUrl: config.signalUrl ?? `${url}/signals`, storage, clock, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** The intake may be reached under an address of its own; here only its path matters. */
const signalPath = (signalUrl: string | null) =>
  signalUrl ? new URL(signalUrl).pathname.replace(/\/+$/, '') : '/signals'

// Until the node has joined, nothing may be remembered.
const notYetJoined = { isFresh: () => false, generation: () => -1 }
