import type { Certificates } from '../domain/ports/certificates.ts'
import { bindSecrets } from '../domain/sources/bind-secrets.ts'
import { operatorFace } from '../faces/operator/operator.ts'
import { Polls } from '../faces/runner/polls.ts'
import { prepareAhead, startSchedule } from '../faces/worker/schedule.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import { createLog, type Logger } from '../infra/log.ts'
import { createMetrics, type Metrics } from '../infra/metrics.ts'
import { startAdmission } from './admission.ts'
import { startCheckpoints } from './checkpoints.ts'
import type { Config } from './config.ts'
import { type Connect, startEngine } from './engine.ts'
import { registerFaces } from './faces.ts'
import { createServer } from './http.ts'
import { identityFrom } from './identity.ts'
import { startIntake } from './intake.ts'
import { Parts } from './parts.ts'
import { startSockets } from './sockets.ts'
import { joinStorage, openStorage, type SharedStorage, type Storage } from './storage.ts'
import { startWebhooks } from './webhooks.ts'

export interface App {
  url: string
  signalUrl: string
  storage: Storage
  clock: Clock
  metrics: Metrics
  stop(): Promise<void>
  /** For whoever cannot wait for that: leaves nothing running behind. */
  abandon(): void
}

export interface AppOptions {
  clock?: Clock
  log?: Logger
  /** Done once the database is there, before anybody is served and anything is started. */
  prepare?: (storage: Storage) => Promise<void>
  /** Where the certificates of a cloud's alarm service come from. */
  certificates?: Certificates
  /** Who does the work. Without it nobody is connected. */
  connect?: Connect
  /** One of several processes of this server, of which the first leads: what only one of them does is its. */
  worker?: { storage: SharedStorage; port: number; leads: boolean }
}

/** Starts everything: what is above is needed by what is below. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog({ level: config.logLevel }) } = options
  const parts = new Parts(log)
  const { worker } = options
  const leads = worker?.leads ?? true
  try {
    const storage = worker
      ? await joinStorage(config, log, worker.storage)
      : await openStorage(config, log, 'serve')
    parts.add({ stop: () => storage.close() })
    if (!worker) await prepareStorage(storage, { clock, ...options })
    const metrics = createMetrics(storage)
    const base = { config, clock, log, storage, metrics }
    const admission = parts.add(await startAdmission(base))
    // The primary of several keeps them: after the last worker has ended, there are some more.
    const checkpoints = worker ? null : parts.add(startCheckpoints(base))
    const http = createServer(base, admission, worker?.port)
    const engine = parts.add(startEngine(base, http, options.connect))
    const intake = parts.add(startIntake(base, engine, options.certificates))
    const webhooks = parts.add(startWebhooks(base, http, admission, engine))
    const polls = new Polls({ ...base, db: storage.db, lives: admission.lives })
    admission.listen(polls)
    const identity = identityFrom(config, storage, { publicUrl: http.publicUrl, log })
    registerFaces(base, { http, admission, engine, intake, identity, polls, webhooks })
    await parts.add(http).listen()
    await parts.add(engine.worker).start()
    if (leads) parts.add(startSockets(base, http, engine))
    const scheduled = { ...base, ...http, ...admission, ...engine, ...intake, ...webhooks }
    parts.add(await startSchedule({ ...scheduled, polls, checkpoints, identity, leads }))
    if (config.operatorPort !== null && !worker)
      parts.add(await operatorFace(config.operatorPort, metrics.registry))
    const [url, signalUrl] = [http.publicUrl(), http.signalUrl()]
    log.info({ url }, 'serving')
    const { abandon } = storage
    return { url, signalUrl, storage, clock, metrics, stop: () => parts.stop(), abandon }
  } catch (error) {
    await parts.stop()
    throw error
  }
}

/** What is done once the database is there, before anybody is served. */
export async function prepareStorage(
  storage: Storage,
  { clock, prepare }: { clock: Clock } & Pick<AppOptions, 'prepare'>,
): Promise<void> {
  await prepareAhead({ db: storage.db, clock })
  await bindSecrets(storage.db, storage.secrets)
  await prepare?.(storage)
}
