import {
  Counter,
  collectDefaultMetrics,
  Gauge,
  Histogram,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import type { Database } from './db/db.ts'
import type { Workers } from './workers.ts'

/** What an operator watches. One registry per app, so that several apps in one process do not meet. */
export function createMetrics(database: Pick<Database, 'connections' | 'replica'>) {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })

  const requests = new Histogram({
    name: 'signalbox_http_request_seconds',
    help: 'Time from request to response, by operation and status.',
    labelNames: ['operation', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  const sealed = new Counter({
    name: 'signalbox_audit_entries_sealed_total',
    help: 'Audit entries that this node added to the tree.',
    registers: [registry],
  })
  new Gauge({
    name: 'signalbox_database_connections',
    help: 'Connections of the pools, by state.',
    labelNames: ['state'] as const,
    registers: [registry],
    collect() {
      const { limit: _, ...states } = database.connections()
      for (const [state, count] of Object.entries(states)) this.set({ state }, count)
    },
  })
  new Gauge({
    name: 'signalbox_database_connections_limit',
    help: 'How many connections the pools may open.',
    registers: [registry],
    collect() {
      this.set(database.connections().limit)
    },
  })
  const { replica } = database
  if (replica)
    new Counter({
      name: 'signalbox_database_replica_reads_total',
      help: 'Reads meant for the replica, by who answered: replica, or the primary because it was behind or away.',
      labelNames: ['outcome'] as const,
      registers: [registry],
      collect() {
        this.reset()
        for (const [outcome, reads] of Object.entries(replica.answered)) this.inc({ outcome }, reads)
      },
    })
  const stuckRuns = new Gauge({
    name: 'signalbox_runs_stuck',
    help: 'Runs that will not move without help, as the sweeper last counted them.',
    registers: [registry],
  })
  // Looking a series up by its labels costs more than observing, so each is looked up once.
  const series = new Map<string, { observe(seconds: number): void }>()
  function observe(operation: string, status: number, milliseconds: number): void {
    const name = `${operation} ${status}`
    let one = series.get(name)
    if (!one) {
      one = requests.labels(operation, String(status))
      series.set(name, one)
    }
    one.observe(milliseconds / 1000)
  }
  return { registry, observe, sealed, stuckRuns }
}

export type Metrics = ReturnType<typeof createMetrics>

type Family = MetricObjectWithValues<MetricValue<string>>

/** What a primary knows of its workers, and none of them does. */
export function registryOfPrimary(workers: Pick<Workers<never, never>, 'state'>): Registry {
  const own = new Registry()
  new Gauge({
    name: 'signalbox_workers',
    help: 'Workers that serve, and how many there should be.',
    labelNames: ['state'] as const,
    registers: [own],
    collect() {
      const { serving, wanted } = workers.state()
      this.set({ state: 'serving' }, serving)
      this.set({ state: 'wanted' }, wanted)
    },
  })
  new Counter({
    name: 'signalbox_workers_replaced_total',
    help: 'Workers that stopped unexpectedly since the start.',
    registers: [own],
    collect() {
      this.reset()
      this.inc(workers.state().replaced)
    },
  })
  return own
}

/**
 * The series of all workers on one page after those of the primary, each with the number of its worker: a counter of
 * one that was replaced begins again from nothing, and in a sum that would look like traffic.
 */
export function metricsOfWorkers(
  own: Registry,
  workers: Pick<Workers<never, never>, 'ask'>,
): Pick<Registry, 'contentType' | 'metrics'> {
  return {
    contentType: own.contentType,
    async metrics() {
      const told = ((await workers.ask('metrics')) as Family[][]).flat()
      const page = new Registry()
      for (const [name, families] of Map.groupBy(told, (family) => family.name)) {
        const family = { ...families[0]!, name, values: families.flatMap(({ values }) => values) }
        page.registerMetric({ ...family, get: async () => family } as unknown as Metric)
      }
      return (await own.metrics()) + (await page.metrics())
    },
  }
}
