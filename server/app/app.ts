import type { Certificates } from '../domain/ports/certificates.ts'
import { bindSecrets } from '../domain/sources/bind-secrets.ts'
import { operatorFace } from '../faces/operator/operator.ts'
import { Polls } from '../faces/runner/polls.ts'
import { prepareAhead, startSchedule } from '../faces/worker/schedule.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import { createLog, type Logger } from '../infra/log.ts'
import { createMetrics } from '../infra/metrics.ts'
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
import { openStorage, type Storage } from './storage.ts'
import { startWebhooks } from './webhooks.ts'

export interface App {
  url: string
  signalUrl: string
  storage: Storage
  clock: Clock
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
}

/** Starts everything: what is above is needed by what is below. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createLog({ level: config.logLevel }) } = options
  const parts = new Parts(log)
  try {
    const storage = await openStorage(config, log, 'serve')
    parts.add({ stop: () => storage.close() })
    await prepareAhead({ db: storage.db, clock })
    await bindSecrets(storage.db, storage.secrets)
    await options.prepare?.(storage)
    const base = { config, clock, log, storage, metrics: createMetrics(storage) }
    const admission = parts.add(await startAdmission(base))
    const checkpoints = parts.add(startCheckpoints(base))
    const http = createServer(base, admission)
    const engine = parts.add(startEngine(base, http, options.connect))
    const intake = parts.add(startIntake(base, engine, options.certificates))
    const webhooks = parts.add(startWebhooks(base, http, admission, engine))
    const polls = new Polls({ ...base, db: storage.db, lives: admission.lives })
    admission.listen(polls)
    const identity = identityFrom(config, storage, { publicUrl: http.publicUrl, log })
    registerFaces(base, { http, admission, engine, intake, identity, polls, webhooks })
    await parts.add(http).listen()
    await parts.add(engine.worker).start()
    parts.add(startSockets(base, http, engine))
    const scheduled = { ...base, ...http, ...admission, ...engine, ...intake, ...webhooks }
    parts.add(await startSchedule({ ...scheduled, polls, checkpoints, identity }))
    if (config.operatorPort !== null) parts.add(await operatorFace(config.operatorPort, base.metrics))
    const [url, signalUrl] = [http.publicUrl(), http.signalUrl()]
    log.info({ url }, 'serving')
    return { url, signalUrl, storage, clock, stop: () => parts.stop(), abandon: () => storage.abandon() }
  } catch (error) {
    await parts.stop()
    throw error
  }
}
