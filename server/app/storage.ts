import { randomInt } from 'node:crypto'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Client, ClientConfig } from 'pg'
import { pushPurpose, pushSeedRow } from '../domain/installation/key-rotation/push-seed.ts'
import { housekeeping } from '../domain/record/audit/change.ts'
import { watchOutages } from '../infra/database-outages.ts'
import { DatabaseClient } from '../infra/db/client.ts'
import { appRole, type Database, openDatabase, read, write } from '../infra/db/db.ts'
import { borrowCluster, startCluster } from '../infra/db/embedded.ts'
import { endQuietly } from '../infra/db/end-quietly.ts'
import { migrate } from '../infra/db/migrate.ts'
import { secretFile } from '../infra/db/secret-file.ts'
import { statement } from '../infra/db/statement.ts'
import { patience } from '../infra/db/timeouts.ts'
import type { Logger } from '../infra/log.ts'
import { type Secrets, secretsFrom } from '../infra/secrets.ts'
import { type Config, refuseUnwritableFolders } from './config.ts'
import { connectionsOfNode } from './node-connections.ts'
import { readPreviousKey, readSecretKey, secretKeyFile } from './secret-keys.ts'
import { atOnce, type Step } from './start.ts'
import type * as Sql from './storage.types.ts'

/** The migrated database and the secrets that belong to it: what the server and every command need. */
export interface Storage extends Database {
  connection: ClientConfig
  /** The same database past a connection pooler, for what needs a session of its own. */
  direct: ClientConfig
  secrets: Secrets
  /** The database is embedded, and this process serves from it: no other does. */
  alone: boolean
  /** Whether it acts as the role that cannot rewrite the audit log. */
  asAppRole: boolean
  /** For an exit without closing: the embedded database then stops on its own. */
  abandon(): void
}

export class StorageError extends Error {}

interface OpenOptions {
  /** How each step of it is done. */
  step?: Step
  /** Other processes that this one opens it for; what it does itself is then little. */
  workers?: number
  /** The end of a restore, for which the database is not yet closed to everything else. */
  isRestoring?: boolean
}

/** `serve` owns the embedded database; a command borrows that of a running server, or starts it for its own length. */
export async function openStorage(
  config: Config,
  log: Logger,
  purpose: 'serve' | 'command',
  { step = atOnce, workers = 0, isRestoring = false }: OpenOptions = {},
): Promise<Storage> {
  if (purpose === 'serve') refuseUnwritableFolders(config)
  const cluster = config.databaseUrl
    ? null
    : await step('start the database', () => openCluster(config, log, purpose, workers))
  const connection: ClientConfig = cluster
    ? { ...cluster.connection }
    : { connectionString: config.databaseUrl! }
  const direct = config.databaseDirectUrl ? { connectionString: config.databaseDirectUrl } : connection
  const close = async (database?: Database) => {
    try {
      await database?.close()
    } finally {
      await cluster?.stop()
    }
  }
  try {
    const mustBeGuarded = purpose === 'serve' && config.auditGuard === 'role'
    const asAppRole = await step('migrate the database', () =>
      migrated(direct, log, { config, isRestoring, mustBeGuarded }),
    )
    const ours = workers > 0 ? { ...config, databaseConnections: ofPrimary } : config
    // A command reads what it has just written, or what others rely on.
    const reading = purpose === 'serve' ? ours : { ...ours, databaseReadUrl: null }
    const { database, secrets } = await open(reading, log, { connection, asAppRole })
    const checked = step('ask whom it acts as', () => database.ping()).then(() =>
      step('compare the key', () => refuseOtherKey(database, secrets)),
    )
    await checked.catch(async (error) => {
      await database.close()
      throw error
    })
    const alone = cluster !== null && purpose === 'serve'
    const abandon = () => cluster?.abandon()
    return {
      ...database,
      connection,
      direct,
      secrets,
      asAppRole,
      alone,
      close: () => close(database),
      abandon,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** For a command that makes none. */
export function requireDatabase({ databaseUrl, dataDir }: Config): void {
  if (!databaseUrl && !existsSync(path.join(dataDir, 'postgres')))
    throw new StorageError(
      `There is no database in ${dataDir} yet. Start the server, or set DATA_DIR or DATABASE_URL to what you use.`,
    )
}

/** The database as it is, however old its schema: nothing is migrated. The embedded one is borrowed or started. */
export async function borrowDatabase(
  config: Config,
  log: Logger,
): Promise<{ connection: ClientConfig; close(): Promise<void> }> {
  const { databaseUrl } = config
  if (databaseUrl) return { connection: { connectionString: databaseUrl }, close: async () => {} }
  const cluster = await openCluster(config, log, 'command', 0)
  return { connection: { ...cluster.connection }, close: () => cluster.stop() }
}

/** What a worker is told about the storage that its primary has opened. */
export type SharedStorage = Pick<Storage, 'connection' | 'direct' | 'asAppRole'>

/** The same database for another process of the same server, which neither starts, migrates nor stops it. */
export async function joinStorage(config: Config, log: Logger, shared: SharedStorage): Promise<Storage> {
  const { database, secrets } = await open(config, log, shared)
  await useKeyOf(database.db, secrets)
  return { ...database, ...shared, secrets, alone: false, abandon: () => {} }
}

async function open(
  config: Config,
  log: Logger,
  { connection, asAppRole }: Pick<SharedStorage, 'connection' | 'asAppRole'>,
) {
  const previous = await readPreviousKey(config)
  const secrets = secretsFrom(config.secretKey ?? (await secretFile(config.dataDir, secretKeyFile)), previous)
  const database = openDatabase({
    connection,
    replica: replicaOf(config),
    connections: config.databaseConnections,
    statementSeconds: config.databaseStatementSeconds,
    asAppRole,
    onError: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  const outages = watchOutages({ log, ping: () => database.ping() })
  const close = () => {
    outages.close()
    return database.close()
  }
  return { database: { ...database, close }, secrets }
}

/** Where some reads go, if anywhere. Where no one reads, writes are still noted for those who do. */
export const replicaOf = ({ databaseReadUrl, databaseReadLagSeconds }: Config) =>
  databaseReadUrl
    ? { connection: { connectionString: databaseReadUrl }, longestLagMs: databaseReadLagSeconds * 1_000 }
    : null

function openCluster(config: Config, log: Logger, purpose: 'serve' | 'command', workers: number) {
  const settings = workers > 0 ? { max_connections: String(connectionsFor(workers, config)) } : {}
  const begin = purpose === 'serve' ? startCluster : borrowCluster
  return begin(config.dataDir, { log: (line) => log.info(line), settings })
}

/** Brings the database up to date. Returns whether it can be used as the role that cannot rewrite the audit log. */
async function migrated(
  connection: ClientConfig,
  log: Logger,
  { config, isRestoring, mustBeGuarded }: { config: Config; isRestoring: boolean; mustBeGuarded: boolean },
): Promise<boolean> {
  const refuse = async (client: Client) => {
    await refuseOtherDatabase(client, config)
    await refuseForeign(client, config)
  }
  const role = await migrate(connection, { log: (line) => log.info(line), isRestoring, refuse })
  if (role.appRole) return true
  const unguarded = `The user in DATABASE_URL cannot act as ${appRole}, the role that cannot rewrite the audit log. As a superuser of PostgreSQL, run "${role.missing}" and start Signalbox again.`
  if (mustBeGuarded)
    throw new StorageError(
      `${unguarded} To serve without the role, set AUDIT_GUARD=triggers: only triggers then protect the log, and this user can remove them.`,
    )
  log.warn(`${unguarded} Until then, only triggers protect the log, and this user can remove them.`)
  return false
}

/** The database as it is: nothing in it, and nothing in the data folder, is made or changed. */
export async function inspectStorage(config: Config, log: Logger): Promise<Inspected> {
  if (!config.databaseUrl && !existsSync(path.join(config.dataDir, 'postgres')))
    throw new StorageError(
      `There is no database in ${config.dataDir} yet. Start the server, or set DATA_DIR or DATABASE_URL as the server has it.`,
    )
  const keys = [await readSecretKey(config), await readPreviousKey(config)].filter((key) => key !== null)
  const cluster = config.databaseUrl ? null : await openCluster(config, log, 'command', 0)
  const connection: ClientConfig = cluster
    ? { ...cluster.connection }
    : { connectionString: config.databaseUrl! }
  const closing = async (database?: Database) => {
    try {
      await database?.close()
    } finally {
      await cluster?.stop()
    }
  }
  try {
    const database = openDatabase({
      ...{ connection, connections: ofPrimary, asAppRole: await canActAsApp(connection) },
      replica: replicaOf(config),
      statementSeconds: config.databaseStatementSeconds,
      onError: () => {},
    })
    return { ...database, keys, close: () => closing(database) }
  } catch (error) {
    await closing()
    throw error
  }
}

export interface Inspected extends Pick<Database, 'db' | 'replica' | 'close'> {
  /** SECRET_KEY and the one before, as far as there are any. */
  keys: readonly string[]
}

/** Whether ours are the keys that the database is used with; null: no node has been there yet. */
export async function isOwnKey({ db, keys }: Inspected): Promise<boolean | null> {
  const [row] = await read(db, keyOfInstance, {})
  const known = keys.map((key) => secretsFrom(key).fingerprint)
  return row ? missingKey(row, known) === null : null
}

async function canActAsApp(connection: ClientConfig): Promise<boolean> {
  const client = new DatabaseClient({ ...connection, ...patience })
  client.on('error', () => {})
  await client.connect()
  const { rowCount } = await client
    .query(`select from pg_roles where rolname = $1 and pg_has_role(current_user, oid, 'member')`, [appRole])
    .finally(() => endQuietly(client))
  return rowCount === 1
}

const ofPrimary = 2

/** Each worker is a node; the primary and commands come by. */
const connectionsFor = (workers: number, { databaseConnections }: Config): number =>
  Math.max(100, workers * connectionsOfNode(databaseConnections) + 30)

const noteFingerprint = statement<Sql.NoteFingerprint>(
  'insert into instance (secret_fingerprint) values (:fingerprint) on conflict do nothing',
)

const keyOfInstance = statement<Sql.KeyOfInstance>(`
  select secret_fingerprint as fingerprint, previous_fingerprint as previous, push_seed as "pushSeed"
  from instance`)

const sameDatabaseLock = 4403

/**
 * What is migrated, and where nodes hear of each other, has to be the database that is served from. An advisory lock
 * belongs to one database, whatever it is reached through.
 */
async function refuseOtherDatabase(
  direct: Client,
  { databaseUrl, databaseDirectUrl }: Config,
): Promise<void> {
  if (!databaseUrl || !databaseDirectUrl) return
  const key = [sameDatabaseLock, randomInt(2 ** 31 - 1)]
  const served = new DatabaseClient({ connectionString: databaseUrl, ...patience })
  served.on('error', () => {})
  try {
    await served.connect()
    await direct.query('begin')
    await direct.query('select pg_advisory_xact_lock($1, $2)', key)
    const { rows } = await served.query('select pg_try_advisory_xact_lock($1, $2) as "isOther"', key)
    if (rows[0].isOther)
      throw new StorageError(
        'DATABASE_DIRECT_URL leads to another database than DATABASE_URL. Set it to the same one, past the connection pooler, or remove it.',
      )
  } finally {
    await direct.query('rollback')
    await endQuietly(served)
  }
}

/** A database that is used with a key that is not here is left as it is: neither it nor a new key file is any help. */
async function refuseForeign(client: Client, config: Config): Promise<void> {
  const { rows: found } = await client.query(`select from pg_class where oid = to_regclass('instance')`)
  if (found.length === 0) return
  const { rows } = await client.query<{ fingerprint: string; previous: string | null }>(
    `select secret_fingerprint as fingerprint, to_jsonb(i) ->> 'previous_fingerprint' as previous from instance i`,
  )
  const keys = [await readSecretKey(config), await readPreviousKey(config)].filter((key) => key !== null)
  const known = keys.map((key) => secretsFrom(key).fingerprint)
  const missing = rows[0] && missingKey(rows[0], known)
  if (missing) throw new StorageError(missing)
}

/** Two nodes with two keys would each refuse what the other has signed and sealed. */
async function refuseOtherKey({ db }: Database, secrets: Secrets): Promise<void> {
  await housekeeping(db, 'which key the database is used with', (tx) =>
    write(tx, noteFingerprint, { fingerprint: secrets.known[0]! }),
  )
  await useKeyOf(db, secrets)
}

async function useKeyOf(db: Database['db'], secrets: Secrets): Promise<void> {
  const row = (await read(db, keyOfInstance, {}))[0]!
  const missing = missingKey(row, secrets.known)
  if (missing) throw new StorageError(missing)
  secrets.use(row.fingerprint)
  if (row.pushSeed) secrets.carry(pushPurpose, Buffer.from(secrets.decrypt(row.pushSeed, pushSeedRow), 'hex'))
}

/** Why a node cannot go on: SECRET_KEY was replaced while it was away. Null: its key is in use. */
export async function keyObstacle({ db, secrets }: Pick<Storage, 'db' | 'secrets'>): Promise<string | null> {
  const [row] = await read(db, keyOfInstance, {})
  return row ? missingKey(row, secrets.known) : null
}

/** What to do where a key that is needed is not among those known; null: none is missing. */
function missingKey(
  { fingerprint, previous }: { fingerprint: string; previous: string | null },
  known: readonly string[],
): string | null {
  if (!known.includes(fingerprint))
    return 'This database was set up with another SECRET_KEY. Set SECRET_KEY to the key of the first node, or copy secret.key from its data folder. To replace the key, set SECRET_KEY_PREVIOUS to the old one.'
  if (previous !== null && !known.includes(previous))
    return 'SECRET_KEY is still being rotated: some secrets are encrypted with the old key. Set SECRET_KEY_PREVIOUS to the old key until doctor says that it can go.'
  return null
}
