import type { System, SystemCheck } from '@signalbox/contract/app/system.ts'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { dictionary } from '@signalbox/contract/dictionary.ts'
import { pagerNames } from '../../ports/pager.ts'
import type { Backlog, Vitals } from './read-vitals.ts'
import { mostCounted } from './read-vitals.ts'

/** What the program that looks knows of itself. */
export interface Looking {
  version: string
  /** The newest migration that its code knows. */
  migration: number
}

/** What is found of the installation, each with what to do about it. What fails comes first. */
export function checkSystem(vitals: Vitals, looking: Looking): System {
  const checks = checksOf(vitals, looking)
  const { database, migration } = vitals
  return {
    at: vitals.at.toISOString(),
    version: looking.version,
    checks: checks.toSorted((one, other) => order.indexOf(one.state) - order.indexOf(other.state)),
    nodes: vitals.nodes.map(({ id, isServing, host, version, migration, startedAt, skewSeconds }) => ({
      ...{ id, isServing, host, version, migration, skewSeconds },
      startedAt: startedAt.toISOString(),
    })),
    database: {
      version: database.version,
      bytes: database.bytes,
      connections: database.connections,
      mostConnections: database.mostConnections,
      role: database.role,
      migration: migration?.name ?? null,
      migratedAt: migration?.appliedAt.toISOString() ?? null,
    },
  }
}

const order = ['failed', 'warning', 'ok']

/** The worst of a list of checks; `ok` when all are well. */
export const worstOf = (checks: readonly SystemCheck[]): SystemCheck['state'] =>
  (order as SystemCheck['state'][]).find((state) => checks.some((check) => check.state === state)) ?? 'ok'

const checksOf = (vitals: Vitals, looking: Looking): SystemCheck[] => [
  migrations(vitals, looking),
  nodes(vitals),
  clocks(vitals),
  connections(vitals),
  auditGuard(vitals),
  replicas(vitals),
  ...readReplica(vitals),
  disk(vitals),
  backup(vitals),
  keyRotation(vitals),
  waits('intake', 'Alerts', vitals.intake, {
    ...{ noun: 'batches of alerts', warning: 30, failed: 60 },
    remedy:
      'In a storm of alerts, wait or add a node. Otherwise, look in the log for “alerts could not be processed”.',
  }),
  waits('sealing', 'Audit log', vitals.unsealed, {
    ...{ noun: 'entries', done: 'All entries are sealed', warning: 30, failed: 120 },
    remedy:
      'Look in the log for “seal the audit log”, and in PostgreSQL for a transaction that has been open for long.',
  }),
  ...auditStream(vitals),
  ...auditArchive(vitals),
  ...anchors(vitals),
  outbox(vitals),
  waits('hooks', 'Deliveries from tools', vitals.hookQueue, {
    ...{ noun: 'deliveries', warning: 60, failed: 300 },
    remedy: 'Look in the log for “a wake-up failed”.',
  }),
  webhooks(vitals),
  tools(vitals),
  runners(vitals),
  runs(vitals),
]

type Found = Pick<SystemCheck, 'state' | 'says' | 'remedy'>
const named = (name: string, title: string, found: Found): SystemCheck => ({ name, title, ...found })
const ok = (says: string): Found => ({ state: 'ok', says, remedy: null })
const warning = (says: string, remedy: string): Found => ({ state: 'warning', says, remedy })
const failed = (says: string, remedy: string): Found => ({ state: 'failed', says, remedy })

function migrations({ migration }: Vitals, looking: Looking): SystemCheck {
  const found = (): Found => {
    const number = migration?.number ?? 0
    if (number === looking.migration)
      return ok(`The database has all ${number} migrations of version ${looking.version}.`)
    if (number < looking.migration)
      return failed(
        `The database has ${number} of ${looking.migration} migrations.`,
        'Start this version of Signalbox, or run the migrate command. Both migrate the database.',
      )
    return failed(
      `The database has migration ${migration!.name}, which version ${looking.version} does not know.`,
      'Update Signalbox on this machine to the version of the other nodes.',
    )
  }
  return named('migrations', 'Migrations', found())
}

function nodes({ nodes }: Vitals): SystemCheck {
  const serving = nodes.filter(({ isServing }) => isServing)
  const versions = [...new Set(serving.map(({ version }) => version ?? 'an older release'))].toSorted()
  const found = (): Found => {
    if (serving.length === 0) return failed('No node is serving.', 'Start the server.')
    if (versions.length > 1)
      return warning(
        `${serving.length} nodes are serving, with different versions: ${versions.join(', ')}.`,
        'Finish the upgrade, so that all nodes have the same version.',
      )
    // Not a warning: whether it should come back, only its operator knows.
    const silent = nodes.length - serving.length
    const ended =
      silent > 0 ? ` ${many(silent, 'node', 'nodes')} ended without signing off in the last hour.` : ''
    return ok(`${many(serving.length, 'node is', 'nodes are')} serving, with version ${versions[0]}.${ended}`)
  }
  return named('nodes', 'Nodes', found())
}

/** So long a receiver may be away before someone has to look. */
const streamWarningSeconds = 120

/** Nothing where the log is not sent anywhere. */
function auditStream({ auditStream: lag }: Vitals): SystemCheck[] {
  if (!lag) return []
  const title = 'Audit stream'
  if (lag.waiting === 0) return [named('audit-stream', title, ok('All sealed entries were sent.'))]
  const says = `${many(lag.waiting, 'entry is waiting', 'entries are waiting')} to be sent, the oldest for ${spoken(lag.oldestSeconds)}.`
  if (lag.oldestSeconds < streamWarningSeconds && !lag.error) return [named('audit-stream', title, ok(says))]
  const remedy = lag.error
    ? `The last attempt failed: ${lag.error} Check the receiver and AUDIT_STREAM. Sending continues where it stopped.`
    : 'Look in the log for “the audit log could not be sent”.'
  const found = lag.oldestSeconds < streamWarningSeconds ? ok(says) : failed(says, remedy)
  return [named('audit-stream', title, found)]
}

/** The setting that says where it is. */
const anchorSettings: Record<string, string> = dictionary({
  timestamp: 'TIMESTAMP_URL',
  folder: 'CHECKPOINT_DIR',
  webhook: 'CHECKPOINT_WEBHOOK',
  email: 'CHECKPOINT_EMAIL and SMTP_URL',
})

/** Nothing where checkpoints are not sent anywhere. */
function anchors({ anchors: targets }: Vitals): SystemCheck[] {
  if (targets.length === 0) return []
  const title = 'Checkpoints elsewhere'
  const failing = targets.filter(({ error }) => error !== null)
  const names = (some: typeof targets) => some.map(({ target }) => target).join(', ')
  if (failing.length === 0)
    return [named('checkpoints', title, ok(`Signed checkpoints are sent: ${names(targets)}.`))]
  const longest = Math.max(...failing.map(({ failingSeconds }) => failingSeconds))
  const remedy = failing
    .map(({ target, error }) => `${target}: ${error} Check ${anchorSettings[target]}.`)
    .join(' ')
  const says = `Signed checkpoints have not been sent for ${spoken(longest)}: ${names(failing)}.`
  return [
    named(
      'checkpoints',
      title,
      warning(says, `${remedy} Signalbox tries again every few minutes. Sealing continues.`),
    ),
  ]
}

/** A month is due at its end, and a backup can be in the way for hours. */
const archiveWarningSeconds = 2 * 86_400

/** Nothing where the log stays in the database. */
function auditArchive({ auditArchive: archive }: Vitals): SystemCheck[] {
  if (!archive) return []
  const title = 'Audit archive'
  if (archive.waiting === 0) return [named('audit-archive', title, ok('Older months are in files.'))]
  const says = `${many(archive.waiting, 'month waits', 'months wait')} to be archived, since ${archive.oldest}.`
  const found =
    archive.oldestSeconds < archiveWarningSeconds
      ? ok(says)
      : warning(
          says,
          'Look in the log for “cannot be archived” or “archive months”, and check AUDIT_ARCHIVE_DIR.',
        )
  return [named('audit-archive', title, found)]
}

const mostSkewSeconds = 5

function clocks({ nodes }: Vitals): SystemCheck {
  const off = nodes
    .filter(({ isServing, skewSeconds }) => isServing && Math.abs(skewSeconds) > mostSkewSeconds)
    .map(
      ({ host, skewSeconds }) =>
        `${host ?? 'A node'} is ${spoken(Math.abs(skewSeconds))} ${skewSeconds > 0 ? 'ahead' : 'behind'}.`,
    )
  return named(
    'clock',
    'Clocks',
    off.length === 0
      ? ok(`All nodes are within ${mostSkewSeconds} seconds of the database’s clock.`)
      : warning(
          `Clocks differ from the database’s: ${off.join(' ')}`,
          'Turn on time synchronization on these machines.',
        ),
  )
}

function connections({
  database: { version, connections, mostConnections, isStandby },
}: Vitals): SystemCheck {
  const used = `PostgreSQL ${version} has ${connections} of ${mostConnections} connections in use.`
  const found = (): Found => {
    if (isStandby)
      return failed(
        'DATABASE_URL points to a standby, which is read-only.',
        'Set DATABASE_URL to the primary.',
      )
    if (connections / mostConnections > 0.85)
      return warning(used, 'Raise max_connections in PostgreSQL, or lower DATABASE_CONNECTIONS.')
    return ok(used)
  }
  return named('database', 'Database', found())
}

function auditGuard({ database: { role } }: Vitals): SystemCheck {
  return named(
    'audit_guard',
    'Audit guard',
    role === 'signalbox_app'
      ? ok('Signalbox acts as a role that cannot rewrite the audit log.')
      : warning(
          `Signalbox acts as ${role}, which owns the tables: only triggers protect the audit log.`,
          `As a superuser, run "create role signalbox_app nologin" and "grant signalbox_app to ${role}", then restart every node.`,
        ),
  )
}

function replicas({ database: { replicas, role } }: Vitals): SystemCheck {
  const late = replicas.flatMap(({ name, lagSeconds }) =>
    lagSeconds !== null && lagSeconds > 60 ? `${name} is ${spoken(lagSeconds)} behind.` : [],
  )
  const hidden = replicas.filter(({ lagSeconds }) => lagSeconds === null)
  const found = (): Found => {
    if (replicas.length === 0) return ok('No replica is known.')
    if (late.length > 0) return warning(late.join(' '), 'Compare network, disk and load of both machines.')
    // Without it no metric shows a lag, and the alert about it never fires.
    if (hidden.length > 0)
      return warning(
        `${many(hidden.length, 'replica is', 'replicas are')} connected. How far behind can’t be seen.`,
        `As a superuser, run "grant pg_read_all_stats to ${role}".`,
      )
    return ok(`${many(replicas.length, 'replica is', 'replicas are')} up to date.`)
  }
  return named('replicas', 'Replicas', found())
}

/** Nothing where all reads go to the primary. */
function readReplica({ readReplica: replica }: Vitals): SystemCheck[] {
  if (!replica) return []
  const meanwhile = 'Until then, the primary answers all reads.'
  const found = (): Found => {
    if ('error' in replica)
      return warning(
        `The replica in DATABASE_READ_URL can’t be reached: ${replica.error}`,
        `Start it and check DATABASE_READ_URL. ${meanwhile}`,
      )
    const { isStandby, lagSeconds, isLate } = replica
    if (!isStandby)
      return warning(
        'DATABASE_READ_URL doesn’t lead to a replica.',
        `Set it to a streaming replica, or remove it. ${meanwhile}`,
      )
    if (isLate)
      return warning(
        `The replica in DATABASE_READ_URL is ${lagSeconds === null ? 'not replaying yet' : `${spoken(lagSeconds)} behind`}.`,
        `Check that it’s streaming from the primary, and compare load and clocks of both machines. ${meanwhile}`,
      )
    return ok('Lists, search, exports and insights are read from the replica.')
  }
  return [named('read_replica', 'Read replica', found())]
}

function disk({ disk }: Vitals): SystemCheck {
  const found = (): Found => {
    if (!disk) return warning('The data folder cannot be read.', 'Check DATA_DIR and who owns it.')
    const share = disk.freeBytes / disk.sizeBytes
    const says = `${bytes(disk.freeBytes)} of ${bytes(disk.sizeBytes)} are free (${Math.floor(share * 100)}%).`
    if (share < 0.05) return failed(says, 'Enlarge the disk of the data folder now.')
    if (share < 0.1) return warning(says, 'Enlarge the disk of the data folder.')
    return ok(says)
  }
  return named('disk', 'Disk', found())
}

/** What an operator's own schedule is not known by. */
const usualBackupSeconds = 86_400
/** A backup takes a while, and is begun again if a node ends in the middle of it. */
const backupPatience = 1.5

function backup({ at, backups: { lastSuccessAt, failure, everySeconds } }: Vitals): SystemCheck {
  const own =
    everySeconds === null
      ? 'Back up the database, the secret key and the checkpoints: see “Backups” in the manual.'
      : 'Check BACKUP_DIR: whether this account can write to it and its disk has room. Look in the log for “make a backup”.'
  const found = (): Found => {
    if (failure) return failed(`The last backup failed: ${failure.message}`, remedyOfBackup(failure.cause))
    if (!lastSuccessAt)
      return warning(
        'No backup yet.',
        everySeconds === null
          ? 'Set BACKUP_DIR to have the server back itself up, or back up the database, the secret key and the checkpoints with a tool of your own, whose backups are not shown here. “Backups” in the manual says how.'
          : 'The server makes the first one about a minute after its start. If there is none then, check BACKUP_DIR: whether the account of the server can write to it and its disk has room.',
      )
    const age = (at.getTime() - lastSuccessAt.getTime()) / 1000
    const says = `The last good backup is from ${spoken(age)} ago.`
    return age > backupPatience * (everySeconds ?? usualBackupSeconds) ? failed(says, own) : ok(says)
  }
  return named('backup', 'Backup', found())
}

/** By who made it: what the server tries again on its own, and what someone typed. */
const remedyOfBackup = (cause: 'schedule' | 'operator'): string =>
  cause === 'schedule'
    ? 'Check BACKUP_DIR on the node that makes backups: whether its account can write there and the disk has room. The server tries again every ten minutes. Look in the log for “make a backup”.'
    : 'It was made with the backup command. Mend what the message names, and run the command again.'

/** Which of the two keys is still needed, while there are two. */
function keyRotation({ at, rotation, nodes }: Vitals): SystemCheck {
  const seconds = (since: Date | null) => (since ? Math.max(0, (at.getTime() - since.getTime()) / 1000) : 0)
  const serving = nodes.filter(({ isServing }) => isServing)
  const found = (): Found => {
    if (!rotation) return ok('The secret key was never rotated.')
    const { fingerprint, previous, startedAt, finishedAt } = rotation
    if (previous !== null)
      return warning(
        `The secret key is being rotated. It started ${spoken(seconds(startedAt))} ago, and some secrets are still encrypted with the old key.`,
        'Leave SECRET_KEY_PREVIOUS set on every node until this check says that it can go.',
      )
    const isNew = (keys: string[] | null) => keys !== null && keys[0] !== fingerprint
    const without = serving.filter(({ secretKeys }) => !isNew(secretKeys))
    if (without.length < serving.length)
      return without.length === 0
        ? warning('The secret key is about to be rotated.', 'Wait a minute: it starts automatically.')
        : warning(
            `A new secret key waits for ${without.map(({ host }) => host ?? 'a node').join(', ')}.`,
            'Restart these nodes with the new key in SECRET_KEY and the old one in SECRET_KEY_PREVIOUS.',
          )
    const last = finishedAt ? `The secret key was rotated ${spoken(seconds(finishedAt))} ago.` : null
    if (serving.some(({ secretKeys }) => (secretKeys?.length ?? 0) > 1))
      return warning(
        `${last ? `${last} ` : ''}Everything is encrypted with SECRET_KEY, and the old key is no longer needed.`,
        'Remove SECRET_KEY_PREVIOUS, or secret.key.previous from the data folder, and restart the nodes.',
      )
    return ok(last ?? 'The secret key was never rotated.')
  }
  return named('key_rotation', 'Key rotation', found())
}

interface Limits {
  /** What waits. */
  noun: string
  /** What is said when nothing does. */
  done?: string
  /** From which age on, in seconds. */
  warning: number
  failed: number
  remedy: string
}

function waits(
  name: string,
  title: string,
  { waiting, oldestSeconds }: Backlog,
  limits: Limits,
): SystemCheck {
  const found = (): Found => {
    if (waiting === 0) return ok(`${limits.done ?? 'Nothing is waiting'}.`)
    const says = `${counted(waiting)} ${limits.noun} are waiting, the oldest for ${spoken(oldestSeconds)}.`
    if (oldestSeconds >= limits.failed) return failed(says, limits.remedy)
    return oldestSeconds >= limits.warning ? warning(says, limits.remedy) : ok(says)
  }
  return named(name, title, found())
}

function outbox({ outbox }: Vitals): SystemCheck {
  const late = outbox.filter(({ failing, oldestSeconds }) => failing > 0 || oldestSeconds > 900)
  const waiting = outbox.reduce((sum, one) => sum + one.waiting, 0)
  return named(
    'outbox',
    'Outbox',
    late.length === 0
      ? ok(
          waiting === 0
            ? 'Nothing is waiting.'
            : `${many(waiting, 'call to another system is', 'calls to other systems are')} waiting.`,
        )
      : warning(
          `Calls to other systems fail or wait: ${late
            .map(
              ({ kind, waiting, oldestSeconds }) => `${kind} (${counted(waiting)}, ${spoken(oldestSeconds)})`,
            )
            .join(', ')}.`,
          'See failing connections, and SMTP_URL for emails. What waits is retried automatically.',
        ),
  )
}

function webhooks({ webhooks }: Vitals): SystemCheck {
  const of = (state: string) => webhooks.find((one) => one.state === state)?.endpoints ?? 0
  const found = (): Found => {
    const [failing, off] = [of('failing'), of('off')]
    if (failing + off === 0) return ok(`${many(of('active'), 'endpoint is', 'endpoints are')} active.`)
    return warning(
      `${failing} failing, ${off} turned off.`,
      'Settings, Webhooks in the workspace shows the last answers of each endpoint.',
    )
  }
  return named('webhooks', 'Webhooks', found())
}

function tools({ connections }: Vitals): SystemCheck {
  const failing = connections.filter(({ state }) => state === 'failing')
  const all = connections.reduce((sum, one) => sum + one.connections, 0)
  return named(
    'connections',
    'Connections',
    failing.length === 0
      ? ok(`${many(all, 'connection works', 'connections work')}.`)
      : warning(
          `Failing: ${failing.map(({ kind, connections }) => `${nameOf(kind)} (${connections})`).join(', ')}.`,
          'Settings, Connections in the workspace shows the last refusal and what is missing; for PagerDuty and Opsgenie, the source’s page does.',
        ),
  )
}

const names: Record<string, string> = dictionary({ ...toolNames, ...pagerNames })
const nameOf = (kind: string): string => names[kind] ?? kind

function runners({ runners }: Vitals): SystemCheck {
  const of = (state: string) => runners.find((one) => one.state === state)?.runners ?? 0
  const found = (): Found => {
    const says = `${many(of('active'), 'runner is', 'runners are')} active, ${of('offline')} offline, ${of('pending')} waiting for approval.`
    return of('offline') + of('pending') > 0
      ? warning(says, 'Settings, Runners in the workspace names them: restart, approve or remove them.')
      : ok(says)
  }
  return named('runners', 'Runners', found())
}

function runs({ stuckRuns, waitingRuns, leaseAgeSeconds }: Vitals): SystemCheck {
  const found = (): Found => {
    if (leaseAgeSeconds > 480)
      return failed(
        `A work order has been silent for ${spoken(leaseAgeSeconds)} and was not collected.`,
        'Restart the nodes one after the other, and look in the log for “the sweeper skipped something”.',
      )
    if (stuckRuns > 0)
      return warning(
        `${many(stuckRuns, 'run needs', 'runs need')} help to move.`,
        'The admin command “run stuck” lists them with the reason.',
      )
    const waiting = waitingRuns.reduce((sum, one) => sum + one.runs, 0)
    return ok(
      `No run is stuck.${waiting > 0 ? ` ${many(waiting, 'run is waiting for its', 'runs are waiting for their')} turn.` : ''}`,
    )
  }
  return named('runs', 'Runs', found())
}

const many = (count: number, one: string, several: string) =>
  `${counted(count)} ${count === 1 ? one : several}`
const counted = (count: number) => (count >= mostCounted ? `${mostCounted} or more` : String(count))

/** As people say it: the largest unit that fits. */
function spoken(seconds: number): string {
  const units: [size: number, name: string][] = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ]
  const [size, name] = units.find(([size]) => seconds >= size) ?? [1, 'second']
  const count = Math.floor(seconds / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}

const bytes = (count: number): string =>
  count >= 1e12 ? `${(count / 1e12).toFixed(1)} TB` : `${(count / 1e9).toFixed(1)} GB`
