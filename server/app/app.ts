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
import { Start, type Step } from './start.ts'
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
  /** Aborted when whoever starts it wants it no more, though it has not begun to serve. */
  unwanted?: AbortSignal
  /** Told when stopping begins, whether after a whole start or after one that failed. */
  onStopping?: () => void
  /** One of several processes of this server, of which the first leads: what only one of them does is its. */
  worker?: { storage: SharedStorage; port: number; leads: boolean }
}

/** Starts everything: what is above is needed by what is below. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog({ level: config.logLevel }) } = options
  const parts = new Parts(log, options.onStopping)
  const { worker } = options
  const leads = worker?.leads ?? true
  const start = new Start({ log, unwanted: options.unwanted })
  const step = start.step
  try {
    const storage = worker
      ? await joinStorage(config, log, worker.storage)
      : await openStorage(config, log, 'serve', { step })
    parts.add({ stop: () => storage.close() })
    if (!worker) await prepareStorage(storage, step, { clock, ...options })
    const metrics = createMetrics(storage)
    const base = { config, clock, log, storage, metrics }
    const admission = parts.add(await step('join the other nodes', () => startAdmission(base)))
    // The primary of several keeps them: after the last worker has ended, there are some more.
    const checkpoints = worker ? null : parts.add(startCheckpoints(base))
    const http = createServer(base, admission, worker?.port)
    const engine = parts.add(startEngine(base, http, options.connect))
    const intake = parts.add(startIntake(base, engine, options.certificates))
    const webhooks = parts.add(startWebhooks(base, http, admission, engine))
    const polls = new Polls({ ...base, db: storage.db, lives: admission.lives })
    admission.listen(polls)
    const identity = identityFrom(config, storage, { publicUrl: http.publicUrl, log })
    registerFaces(base, { start, http, admission, engine, intake, identity, polls, webhooks })
    await step('listen', () => parts.add(http).listen())
    await step('answer wake-ups', () => parts.add(engine.worker).start())
    if (leads) parts.add(startSockets(base, http, engine))
    const scheduled = { ...base, ...http, ...admission, ...engine, ...intake, ...webhooks }
    const schedule = { ...scheduled, polls, checkpoints, identity, leads }
    parts.add(await step('begin the schedule', () => startSchedule(schedule)))
    if (config.operatorPort !== null && !worker)
      parts.add(await operatorFace(config.operatorPort, metrics.registry))
    start.done()
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
  step: Step,
  { clock, prepare }: { clock: Clock } & Pick<AppOptions, 'prepare'>,
): Promise<void> {
  await step('prepare the months ahead', () => prepareAhead({ db: storage.db, clock }))
  await step('bind the secrets', () => bindSecrets(storage.db, storage.secrets))
  if (prepare) await step('prepare what is served', () => prepare(storage))
}
