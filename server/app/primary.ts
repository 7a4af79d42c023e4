import { operatorFace } from '../faces/operator/operator.ts'
import { systemClock } from '../infra/clock.ts'
import { every } from '../infra/every.ts'
import { unusedPort } from '../infra/http/server.ts'
import type { Logger } from '../infra/log.ts'
import { createMetrics, metricsOfWorkers, registryOfPrimary } from '../infra/metrics.ts'
import { WorkerSide, Workers } from '../infra/workers.ts'
import { startAnchors } from './anchors.ts'
import { type App, type AppOptions, prepareStorage, startApp } from './app.ts'
import { startAuditMonths } from './audit-months.ts'
import { startAuditStream } from './audit-stream.ts'
import { startBackups } from './backups.ts'
import { startCheckpoints } from './checkpoints.ts'
import type { Config } from './config.ts'
import { createProcessLog } from './create-log.ts'
import { operatorSettings, orNameSetting, publicSettings } from './explain-listen-error.ts'
import { Parts } from './parts.ts'
import { startRetention } from './retention.ts'
import { Start } from './start.ts'
import { openStorage, type SharedStorage } from './storage.ts'
import { startTelemetry } from './telemetry.ts'

/** What each worker is told. */
interface Brief {
  storage: SharedStorage
  port: number
}

/** Where they are reached. */
type Addresses = Pick<App, 'url' | 'signalUrl'>

const minute = 60_000

/**
 * A server of several processes: each worker is a node with everything that serves, and listens on the same port. The
 * primary has the embedded database and what must outlive a worker, and answers nothing but the operator.
 */
export async function startPrimary(
  config: Config,
  count: number,
  options: Pick<AppOptions, 'log' | 'prepare' | 'unwanted' | 'onStopping'> = {},
): Promise<Addresses & Pick<App, 'storage' | 'stop' | 'abandon'>> {
  const { log = createProcessLog(config), prepare } = options
  const parts = new Parts(log, options.onStopping)
  const { step } = new Start({ log, unwanted: options.unwanted })
  const clock = systemClock
  try {
    const storage = await openStorage(config, log, 'serve', { step, workers: count })
    parts.add({ stop: () => storage.close() })
    await prepareStorage(storage, step, { clock, ...(prepare ? { prepare } : {}) })
    const metrics = createMetrics(storage)
    const checkpoints = parts.add(startCheckpoints({ config, clock, log, storage, metrics }))
    parts.add(every(minute, 'keep checkpoints', log, () => checkpoints.keep()))
    parts.add(startBackups({ config, clock, log, storage }))
    parts.add(startAuditMonths({ config, clock, log, storage }))
    parts.add(startAnchors({ config, clock, log, storage }))
    parts.add(startAuditStream({ config, clock, log, storage }))
    parts.add(startRetention({ config, clock, log, storage }))
    const { connection, direct, asAppRole } = storage
    const brief = {
      storage: { connection, direct, asAppRole },
      port: await orNameSetting(config, publicSettings, () => unusedPort(config)),
    }
    const workers = parts.add(new Workers<Brief, Addresses>({ count, brief, log }))
    const addresses = await unlessUnwanted(workers.start(), options.unwanted)
    const registry = registryOfPrimary(workers)
    // Each worker sends its own.
    const { telemetry } = await startTelemetry({ config, log, metrics: { registry } })
    if (telemetry) parts.add(telemetry)
    const { operator } = config
    if (operator) {
      const services = { metrics: metricsOfWorkers(registry, workers), obstacles: () => obstaclesOf(workers) }
      parts.add(await orNameSetting(operator, operatorSettings, () => operatorFace(operator, services)))
    }
    log.info({ ...addresses, workers: count }, 'serving with workers')
    const abandon = () => {
      workers.abandon()
      storage.abandon()
    }
    return { ...addresses, storage, stop: () => parts.stopServing(), abandon }
  } catch (error) {
    await parts.stop()
    throw error
  }
}

/** Of those that serve, each that is not ready says why. */
async function obstaclesOf(workers: Pick<Workers<Brief, Addresses>, 'ask'>): Promise<string[]> {
  const told = (await workers.ask('obstacle')) as (string | null)[]
  if (told.length === 0) return ['No worker answers.']
  return [...new Set(told.filter((reason) => reason !== null))]
}

/**
 * Workers take seconds to start, and a signal in that time has its effect immediately: those that have begun are
 * stopped.
 */
async function unlessUnwanted<T>(work: Promise<T>, unwanted: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const giveUp = () => reject(unwanted!.reason)
  if (unwanted?.aborted) giveUp()
  unwanted?.addEventListener('abort', giveUp)
  return Promise.race([work, promise]).finally(() => unwanted?.removeEventListener('abort', giveUp))
}

/** One of them: begins when the primary says so, and stops when it says so. */
export async function runWorker(
  config: Config,
  explain: (error: unknown) => string,
  onStopping: () => void = () => {},
): Promise<void> {
  const side = new WorkerSide<Brief, Addresses>()
  const begun = await side.begin()
  if (!begun) return side.leave()
  const { place, brief } = begun
  const { unwanted } = side
  const log: Logger = createProcessLog(config).child({ worker: place })
  let app: App
  try {
    app = await startApp(config, { log, unwanted, onStopping, worker: { ...brief, leads: place === 1 } })
  } catch (error) {
    if (!unwanted.aborted) await side.failed(explain(error))
    side.leave()
    return
  }
  app.metrics.registry.setDefaultLabels({ worker: String(place) })
  side.onQuestion('obstacle', () => app.readiness.obstacle())
  side.onQuestion('metrics', () => app.metrics.registry.getMetricsAsJSON())
  await side.ready({ url: app.url, signalUrl: app.signalUrl })
  await side.untilStopped()
  await app.drain()
  await app.stop()
  side.leave()
}
