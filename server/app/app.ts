import { setTimeout as sleep } from 'node:timers/promises'
import { bindSecrets } from '../domain/on-call/sources/bind-secrets.ts'
import type { Certificates } from '../domain/ports/certificates.ts'
import { operatorFace } from '../faces/operator/operator.ts'
import { Polls } from '../faces/runner/polls.ts'
import { prepareAhead, startSchedule } from '../faces/worker/schedule.ts'
import { type Clock, systemClock } from '../infra/clock.ts'
import type { Logger } from '../infra/log.ts'
import { createMetrics, type Metrics } from '../infra/metrics.ts'
import { startAdmission } from './admission.ts'
import { startAnchors } from './anchors.ts'
import { startAuditMonths } from './audit-months.ts'
import { startAuditStream } from './audit-stream.ts'
import { startBackups } from './backups.ts'
import { startCheckpoints } from './checkpoints.ts'
import type { Config } from './config.ts'
import { createProcessLog } from './create-log.ts'
import { type Connect, startEngine } from './engine.ts'
import { operatorSettings, orNameSetting } from './explain-listen-error.ts'
import { registerFaces } from './faces.ts'
import { createServer, type Http } from './http.ts'
import { identityFrom } from './identity.ts'
import { startIntake } from './intake.ts'
import { type Base, type Part, Parts } from './parts.ts'
import { startPracticeRunners } from './practice.ts'
import { type Readiness, watchReadiness } from './readiness.ts'
import { startRetention } from './retention.ts'
import { startSockets } from './sockets.ts'
import { Start, type Step } from './start.ts'
import { joinStorage, openStorage, type SharedStorage, type Storage } from './storage.ts'
import { watchSystem } from './system.ts'
import { startTelemetry } from './telemetry.ts'
import { startWebhooks } from './webhooks.ts'

export interface App {
  url: string
  signalUrl: string
  storage: Storage
  clock: Clock
  metrics: Metrics
  readiness: Readiness
  /** Not ready any more, it goes on serving for the grace that is set: load balancers have to notice first. */
  drain(): Promise<void>
  stop(): Promise<void>
  /** The same without waiting; leaves nothing running. */
  abandon(): void
}

export interface AppOptions {
  clock?: Clock
  log?: Logger
  /** Done once the database is there, before anyone is served and anything is started. */
  prepare?: (storage: Storage) => Promise<void>
  /** Where the certificates of a cloud's alarm service come from. */
  certificates?: Certificates
  /** What does the work. Without it no runner is connected. */
  connect?: Connect
  /** Aborts a start that is no longer wanted. */
  unwanted?: AbortSignal
  /** Told when stopping begins, whether after a whole start or after one that failed. */
  onStopping?: () => void
  /** One of several processes of this server, of which the first leads: what only one of them does is its. */
  worker?: { storage: SharedStorage; port: number; leads: boolean }
}

/** Starts everything: what is above is needed by what is below. */
export async function startApp(config: Config, options: AppOptions = {}): Promise<App> {
  const { clock = systemClock, log = createProcessLog(config) } = options
  const parts = new Parts(log, options.onStopping)
  const { worker, worker: { leads } = { leads: true } } = options
  const start = new Start({ log, unwanted: options.unwanted })
  const step = start.step
  try {
    const storage = worker
      ? await joinStorage(config, log, worker.storage)
      : await openStorage(config, log, 'serve', { step })
    parts.add({ stop: () => storage.close() })
    if (!worker) await prepareStorage(storage, step, { clock, ...options })
    const base = await startBase({ config, clock, log, storage }, parts)
    const readSystem = watchSystem(base, leads)
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
    const readiness = parts.add(await watchReadiness(base, start))
    registerFaces(base, { readiness, http, admission, engine, intake, identity, polls, webhooks, readSystem })
    await step('listen', () => parts.add(http).listen())
    await step('answer wake-ups', () => parts.add(engine.worker).start())
    if (leads) parts.add(startLeader(base, http, engine))
    const scheduled = { ...base, ...http, ...admission, ...engine, ...intake, ...webhooks }
    const schedule = { ...scheduled, polls, checkpoints, identity, leads }
    parts.add(await step('begin the schedule', () => startSchedule(schedule)))
    if (!worker) for (const one of await startAlone(base, readiness)) parts.add(one)
    start.done()
    const [url, signalUrl] = [http.publicUrl(), http.signalUrl()]
    log.info({ url }, 'serving')
    const drain = () => drained(base, { readiness, http })
    const stop = () => parts.stopServing()
    return { ...base, url, signalUrl, readiness, drain, stop, abandon: storage.abandon }
  } catch (error) {
    await parts.stop()
    throw error
  }
}

/** What every part needs, with where it is told how it goes. */
async function startBase(beneath: Omit<Base, 'metrics' | 'telemetry'>, parts: Parts): Promise<Base> {
  const watched = { ...beneath, metrics: createMetrics(beneath.storage) }
  const { telemetry } = await startTelemetry(watched)
  return telemetry ? { ...watched, telemetry: parts.add(telemetry) } : watched
}

/** What the primary does where there are several processes. */
const startAlone = async (base: Base, readiness: Readiness): Promise<Part[]> => [
  await startOperator(base, readiness),
  startBackups(base),
  startAuditMonths(base),
  startAnchors(base),
  startAuditStream(base),
  startRetention(base),
]

/** What only one process of this server does. */
function startLeader(...beneath: Parameters<typeof startSockets>): Part {
  const started = [startSockets(...beneath), startPracticeRunners(...beneath)]
  return { stop: () => Promise.all(started.map((part) => part.stop())) }
}

async function startOperator({ config, metrics }: Base, readiness: Readiness): Promise<Part> {
  if (!config.operator) return { stop: () => {} }
  const obstacles = async () => [await readiness.obstacle()].filter((reason) => reason !== null)
  const { operator } = config
  const services = { metrics: metrics.registry, obstacles }
  return orNameSetting(operator, operatorSettings, () => operatorFace(operator, services))
}

async function drained({ config, log }: Base, { readiness, http }: { readiness: Readiness; http: Http }) {
  if (config.stopGraceSeconds === 0) return
  log.info({ seconds: config.stopGraceSeconds }, 'stopping after the grace')
  readiness.leave()
  http.lastAnswers()
  await sleep(config.stopGraceSeconds * 1_000)
}

/** What is done once the database is there, before anyone is served. */
export async function prepareStorage(
  storage: Storage,
  step: Step,
  { clock, prepare }: { clock: Clock } & Pick<AppOptions, 'prepare'>,
): Promise<void> {
  await step('prepare the months ahead', () => prepareAhead({ db: storage.db, clock }))
  await step('bind the secrets', () => bindSecrets(storage.db, storage.secrets))
  if (prepare) await step('prepare what is served', () => prepare(storage))
}
