import { Gauge, type Registry } from 'prom-client'
import type { Vitals } from '../../domain/installation/system/read-vitals.ts'

type Series = [labels: Record<string, string>, value: number]

interface InstallationGauge {
  help: string
  labels?: readonly string[]
  of(vitals: Vitals): Series[]
}

const one = (value: number): Series[] => [[{}, value]]
const orNone = (value: number | null | undefined): Series[] =>
  value === null || value === undefined ? [] : one(value)
const epoch = (at: Date | null | undefined) => (at ? at.getTime() / 1000 : null)

/** States that are shown with 0 as well, so that a rule can tell "none" from "not known". */
const runnerStates = ['active', 'paused', 'draining', 'pending', 'offline', 'signed_off']
const webhookStates = ['active', 'failing', 'paused', 'off']

const withZeros = (name: string, states: readonly string[], found: ReadonlyMap<string, number>): Series[] =>
  states.map((state) => [{ [name]: state }, found.get(state) ?? 0])

/**
 * What is true of the installation, not of a node: each node reports the same, so queries take the maximum. Numbers of
 * what waits end at 10,000.
 */
const gauges = {
  signalbox_intake_waiting: {
    help: 'Batches of alerts that were acknowledged and are not recorded yet.',
    of: ({ intake }) => one(intake.waiting),
  },
  signalbox_intake_oldest_seconds: {
    help: 'How long the oldest of them has waited.',
    of: ({ intake }) => one(intake.oldestSeconds),
  },
  signalbox_audit_unsealed: {
    help: 'Audit entries that are not in the signed tree yet.',
    of: ({ unsealed }) => one(unsealed.waiting),
  },
  signalbox_audit_unsealed_oldest_seconds: {
    help: 'How long the oldest of them has waited.',
    of: ({ unsealed }) => one(unsealed.oldestSeconds),
  },
  signalbox_audit_stream_waiting: {
    help: 'Audit entries that have not been sent to AUDIT_STREAM yet. Absent if it is not set.',
    of: ({ auditStream }) => orNone(auditStream?.waiting),
  },
  signalbox_audit_stream_oldest_seconds: {
    help: 'How long the oldest of them has waited.',
    of: ({ auditStream }) => orNone(auditStream?.oldestSeconds),
  },
  signalbox_audit_checkpoints_failing_seconds: {
    help: 'How long sending checkpoints of the audit log has been failing, by destination. 0: it works.',
    labels: ['target'],
    of: ({ anchors }) => anchors.map(({ target, failingSeconds }) => [{ target }, failingSeconds]),
  },
  signalbox_audit_checkpoints_last_success_timestamp_seconds: {
    help: 'When checkpoints were last sent, or there were none to send, by where they are sent.',
    labels: ['target'],
    of: ({ anchors }) =>
      anchors.flatMap(({ target, sentAt }) =>
        orNone(epoch(sentAt)).map(([, at]): Series => [{ target }, at]),
      ),
  },
  signalbox_audit_archive_waiting: {
    help: 'Months of the audit log that should be in files by now. Absent if RETENTION_AUDIT_MONTHS is not set.',
    of: ({ auditArchive }) => orNone(auditArchive?.waiting),
  },
  signalbox_audit_archive_oldest_seconds: {
    help: 'How long the oldest of them has been due.',
    of: ({ auditArchive }) => orNone(auditArchive?.oldestSeconds),
  },
  signalbox_outbox_waiting: {
    help: 'Calls to outside tools that are still to be made, by kind.',
    labels: ['kind'],
    of: ({ outbox }) => outbox.map(({ kind, waiting }) => [{ kind }, waiting]),
  },
  signalbox_outbox_oldest_seconds: {
    help: 'How long the oldest of them has been due or failing, by kind.',
    labels: ['kind'],
    of: ({ outbox }) => outbox.map(({ kind, oldestSeconds }) => [{ kind }, oldestSeconds]),
  },
  signalbox_outbox_failing: {
    help: 'Calls that have failed three times or are on hold because a tool refused them, by kind.',
    labels: ['kind'],
    of: ({ outbox }) => outbox.map(({ kind, failing }) => [{ kind }, failing]),
  },
  signalbox_webhook_endpoints: {
    help: 'Webhook endpoints, by state. Failing: nothing has been delivered for a while.',
    labels: ['state'],
    of: ({ webhooks }) =>
      withZeros('state', webhookStates, new Map(webhooks.map(({ state, endpoints }) => [state, endpoints]))),
  },
  signalbox_webhook_messages_waiting: {
    help: 'Webhook messages to active endpoints that are not delivered yet.',
    of: ({ webhookQueue }) => one(webhookQueue.waiting),
  },
  signalbox_webhook_messages_oldest_seconds: {
    help: 'How long ago the oldest of them happened.',
    of: ({ webhookQueue }) => one(webhookQueue.oldestSeconds),
  },
  signalbox_hooks_waiting: {
    help: 'Deliveries from connected tools that are not processed yet.',
    of: ({ hookQueue }) => one(hookQueue.waiting),
  },
  signalbox_hooks_oldest_seconds: {
    help: 'How long the oldest of them has waited.',
    of: ({ hookQueue }) => one(hookQueue.oldestSeconds),
  },
  signalbox_connections: {
    help: 'Connections to tools, and sources with an API key, by kind and state (working, failing).',
    labels: ['kind', 'state'],
    of: ({ connections }) =>
      connections.map(({ kind, state, connections }) => [{ kind, state }, connections]),
  },
  signalbox_runners: {
    help: 'Runners, by state.',
    labels: ['state'],
    of: ({ runners }) =>
      withZeros('state', runnerStates, new Map(runners.map(({ state, runners }) => [state, runners]))),
  },
  signalbox_runner_slots: {
    help: 'Slots of runners, by state of the runner.',
    labels: ['state'],
    of: ({ runners }) =>
      withZeros('state', runnerStates, new Map(runners.map(({ state, slots }) => [state, slots]))),
  },
  signalbox_runs_waiting: {
    help: 'Queued runs, by what they are waiting for. turn: nothing is blocking them.',
    labels: ['reason'],
    of: ({ waitingRuns }) => waitingRuns.map(({ reason, runs }) => [{ reason }, runs]),
  },
  signalbox_orders: {
    help: 'Open work orders, by state: offered to runners, or taken by one.',
    labels: ['state'],
    of: ({ orders }) =>
      withZeros('state', ['offered', 'taken'], new Map(orders.map(({ state, orders }) => [state, orders]))),
  },
  signalbox_orders_oldest_seconds: {
    help: 'How long ago the oldest of them was offered, by state.',
    labels: ['state'],
    of: ({ orders }) =>
      withZeros(
        'state',
        ['offered', 'taken'],
        new Map(orders.map(({ state, oldestSeconds }) => [state, oldestSeconds])),
      ),
  },
  signalbox_order_lease_age_seconds: {
    help: 'The longest time since a taken order was last reported on. Its lease ends after 60.',
    of: ({ leaseAgeSeconds }) => one(leaseAgeSeconds),
  },
  signalbox_nodes: {
    help: 'Nodes, by state (serving, silent) and version. Silent: stopped without signing off within the last hour.',
    labels: ['state', 'version'],
    of: ({ nodes }) =>
      [
        ...Map.groupBy(nodes, ({ isServing, version }) =>
          JSON.stringify({ state: isServing ? 'serving' : 'silent', version: version ?? 'unknown' }),
        ),
      ].map(([labels, some]) => [JSON.parse(labels), some.length]),
  },
  signalbox_node_clock_skew_seconds: {
    help: 'How far the clock of each serving node is ahead of the database’s. Host: its machine and port.',
    labels: ['host'],
    of: ({ nodes }) =>
      nodes
        .filter(({ isServing, skewMs }) => isServing && skewMs !== null)
        .map(({ host, skewSeconds }) => [{ host: host ?? 'unknown' }, skewSeconds]),
  },
  signalbox_database_server_connections: {
    help: 'Connections to the PostgreSQL server, from all clients.',
    of: ({ database }) => one(database.connections),
  },
  signalbox_database_server_connections_limit: {
    help: 'The most connections it allows (max_connections).',
    of: ({ database }) => one(database.mostConnections),
  },
  signalbox_database_size_bytes: {
    help: 'The size of the database, read once a minute.',
    of: ({ database }) => one(database.bytes),
  },
  signalbox_database_replication_lag_seconds: {
    help: 'How far each replica is behind. Absent unless the role may read all statistics (pg_read_all_stats).',
    labels: ['replica'],
    of: ({ database }) =>
      database.replicas.flatMap(({ name, lagSeconds: lag }) =>
        lag === null ? [] : [[{ replica: name }, lag]],
      ),
  },
  signalbox_database_replication_lag_bytes: {
    help: 'The same in bytes of the write-ahead log.',
    labels: ['replica'],
    of: ({ database }) =>
      database.replicas.flatMap(({ name, lagBytes: lag }) =>
        lag === null ? [] : [[{ replica: name }, lag]],
      ),
  },
  signalbox_schema_migration: {
    help: 'The number of the newest migration in the database.',
    of: ({ migration }) => orNone(migration?.number),
  },
  signalbox_data_disk_free_bytes: {
    help: 'Free space where the data folder is, on the node that reports.',
    of: ({ disk }) => orNone(disk?.freeBytes),
  },
  signalbox_data_disk_size_bytes: {
    help: 'All space there.',
    of: ({ disk }) => orNone(disk?.sizeBytes),
  },
  signalbox_backup_last_success_timestamp_seconds: {
    help: 'When the last good backup was taken. Absent: there is none.',
    of: ({ backups }) => orNone(epoch(backups.lastSuccessAt)),
  },
  signalbox_backup_last_failure_timestamp_seconds: {
    help: 'When the last backup failed. Absent if it succeeded.',
    of: ({ backups }) => orNone(epoch(backups.failure?.at)),
  },
} satisfies Record<string, InstallationGauge>

/**
 * Adds them to a registry. They are read when someone asks, and together. When they cannot be read, they are left out
 * and `signalbox_installation_readable` is 0: a page of old numbers would look well.
 */
export function addInstallationMetrics(registry: Registry, read: () => Promise<Vitals>): void {
  const series = async (of: InstallationGauge['of']): Promise<Series[]> => {
    const vitals = await read().catch(() => null)
    return vitals ? of(vitals) : []
  }
  const add = (name: string, { help, labels = [], of }: InstallationGauge, from = series) =>
    new Gauge({
      name,
      help,
      labelNames: [...labels],
      registers: [registry],
      async collect() {
        const found = await from(of)
        this.reset()
        // A gauge without labels begins with a 0 that no one has measured.
        if (found.length === 0) this.remove({})
        for (const [label, value] of found) this.set(label, value)
      },
    })
  for (const [name, gauge] of Object.entries(gauges)) add(name, gauge)
  const readable = { help: 'Whether the metrics of the installation could be read.', of: () => one(1) }
  add('signalbox_installation_readable', readable, async (of) => {
    const found = await series(of)
    return found.length > 0 ? found : one(0)
  })
}
