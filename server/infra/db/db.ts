import { CompiledQuery, Kysely, PostgresDialect, type RawBuilder, type Transaction } from 'kysely'
import type { ReadonlyKysely } from 'kysely/readonly'
import pg from 'pg'
import { DatabaseAway } from './away.ts'
import { Reader } from './reader.ts'
import { AnsweringPool, patience } from './silence.ts'
import type { Parameters, Statement } from './statement.ts'
import type { Tables } from './tables.ts'
import { inPipeline } from './transaction.ts'
import { Watch } from './watch.ts'

export { unwaited } from './transaction.ts'

/**
 * What everyone holds: a handle that reads. PostgreSQL refuses what would write through it; writing goes through
 * `change` in domain/audit.
 */
export type Db = ReadonlyKysely<Tables>
/** What `change` and `housekeeping` hand out for the length of a transaction. */
export type Tx = Transaction<Tables>

export interface Database {
  db: Db
  /** Writes past `change`: for mechanisms with tables of their own, such as jobs, leases and sign-in. */
  pool: pg.Pool
  /**
   * Returns when the database has answered on the connections that serve: each line of the reader, and both pools. Fails
   * when it has not within some seconds.
   */
  ping(): Promise<void>
  /** The connections that are shared out, by what they do, and how many callers wait for one. */
  connections(): { idle: number; busy: number; waiting: number }
  close(): Promise<void>
}

/** The role the running server acts as: it may append to the audit log, never rewrite it (migrations/grants.sql). */
export const appRole = 'signalbox_app'

export interface DatabaseOptions {
  connection: pg.ClientConfig
  /** How many are shared out: a third to reading. The lines of the reader come on top. */
  connections: number
  asAppRole: boolean
  /** How long one may take; half a minute unless told otherwise. */
  statementSeconds?: number
  /** False lets a commit return before it is on the disk: for bulk writes that can be made again. */
  synchronousCommit?: boolean
  onError: (error: Error) => void
}

export function openDatabase(options: DatabaseOptions): Database {
  const { reading, writing, lines } = divide(options.connections)
  const role = options.asAppRole ? [`-c role=${appRole}`] : []
  const watch = new Watch({ ...options.connection, ...patience })
  const toRead = configOf(options, watch, [...role, '-c default_transaction_read_only=on'])
  const toWrite = configOf(options, watch, [
    ...role,
    ...(options.synchronousCommit === false ? ['-c synchronous_commit=off'] : []),
  ])
  // For a connection that others use one waits as long as for a statement: whoever has it may be waiting for a third.
  const shared = { Client: PreparingClient, connectionTimeoutMillis: toRead.statement_timeout as number }
  const poolOf = (config: pg.PoolConfig) => new AnsweringPool({ ...config, ...shared }, () => watch.heard())
  const readingPool = poolOf({ ...toRead, max: reading })
  const pool = poolOf({ ...toWrite, pipeline: true, max: writing } as pg.PoolConfig)
  const pools = [readingPool, pool]
  // A connection that breaks while idle is replaced by its pool; without a listener it would end the process.
  let closing = false
  for (const one of pools) {
    one.on('error', (error) => {
      if (!closing) options.onError(error)
    })
  }
  const reader = new Reader({
    connect: () => new PreparingClient({ ...toRead, pipeline: true } as pg.ClientConfig),
    fallback: readingPool,
    connections: lines,
  })
  const handle = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: readingPool }) })
  behind.set(handle, { reader, pool })
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, one) => total + count(one), 0)
  return {
    db: handle as unknown as Db,
    pool,
    async ping() {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => late.reject(new DatabaseAway('The database does not answer.')),
        longestPingMs,
      )
      const answered = Promise.all([reader.ping(), ...pools.map((one) => one.query('select'))])
      await Promise.race([answered, late.promise]).finally(() => clearTimeout(timer))
    },
    connections: () => ({
      idle: sum((one) => one.idleCount),
      busy: sum((one) => one.totalCount - one.idleCount),
      waiting: sum((one) => one.waitingCount),
    }),
    async close() {
      closing = true
      await reader.close()
      // Kysely ends only a pool that it has used, and an open one keeps the process alive.
      watch.close()
      await Promise.all(pools.map((one) => one.close()))
    },
  }
}

/**
 * Most reads travel on the reader's lines, so a third of the connections is enough for the others. Two at least write:
 * the first wake-up starts the job queue from within a transaction. Where that is one more than there are, the reader
 * does with one line less.
 */
function divide(connections: number): { reading: number; writing: number; lines: number } {
  const reading = Math.max(1, Math.floor(connections / 3))
  return { reading, writing: Math.max(2, connections - reading), lines: Math.min(2, connections - 1) }
}

const configOf = (
  { connection, statementSeconds = 30 }: DatabaseOptions,
  watch: Watch,
  settings: string[],
): WatchedConfig => ({
  ...connection,
  watch,
  options: settings.join(' '),
  ...patience,
  statement_timeout: statementSeconds * 1_000,
  idle_in_transaction_session_timeout: 60_000,
  application_name: 'signalbox',
  types: { getTypeParser },
})

/** Whoever asks whether we are ready wants to know it now. */
const longestPingMs = 4_000

/** What stands behind a handle, out of reach of those who hold it. */
const behind = new WeakMap<object, { reader: Reader; pool: pg.Pool }>()

/** Only domain/audit/change.ts calls it, as a test holds: whoever wants to write goes there. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inPipeline(behind.get(db)!.pool, work)
}

/** One statement that is a commit of its own: it takes one way to the database instead of three. Called as the one above. */
export async function inOneStatement<Row>(
  db: Db,
  statement: Statement<Row>,
  parameters: Parameters,
): Promise<readonly Row[]> {
  const { text, values } = statement.bind(parameters)
  return (await behind.get(db)!.pool.query(text, [...values])).rows as Row[]
}

/**
 * Runs a statement that only reads: together with those of other requests, or inside its transaction. The rows may be
 * shared with another request, so nobody may change them.
 */
export function read<Row>(
  db: Db | Tx,
  statement: Statement<Row>,
  parameters: Parameters,
): Promise<readonly Row[]> {
  const reader = behind.get(db)?.reader
  return reader ? reader.query(statement.bind(parameters)) : runIn(db as Tx, statement, parameters)
}

/** Runs a statement that writes, or that holds the rows it reads. */
export const write = <Row>(tx: Tx, statement: Statement<Row>, parameters: Parameters) =>
  runIn(tx, statement, parameters)

async function runIn<Row>(
  tx: Tx,
  statement: Statement<Row>,
  parameters: Parameters,
): Promise<readonly Row[]> {
  const { text, values } = statement.bind(parameters)
  return (await tx.executeQuery<Row>(CompiledQuery.raw(text, values))).rows
}

/** Does a part of a transaction that may fail alone: then nothing of it is left, and the rest goes on. */
export async function inPart<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await tx.executeQuery(CompiledQuery.raw('savepoint part'))
  try {
    const value = await work()
    await tx.executeQuery(CompiledQuery.raw('release savepoint part'))
    return value
  } catch (error) {
    await tx.executeQuery(CompiledQuery.raw('rollback to savepoint part'))
    throw error
  }
}

/** For reads that may take long, such as walking the whole log: on a connection of their own. */
export async function readSlowly<Row>(db: Db | Tx, query: RawBuilder<Row>): Promise<Row[]> {
  // Kysely's read-only handle does not take raw SQL.
  return (await query.execute(db as unknown as Kysely<Tables>)).rows
}

/** bigint columns count entries and bytes here and stay far below 2^53, so they arrive as numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(oid, format)
}

type WatchedConfig = pg.ClientConfig & { watch: Watch }

const names = new Map<string, string>()
const mostNames = 500
const longestNamed = 5_000

/**
 * Gives every repeated statement a name, so that PostgreSQL parses and plans it once per connection.
 * Texts that vary without bound (multi-row inserts) stay unnamed.
 */
class PreparingClient extends pg.Client {
  constructor(config?: pg.ClientConfig) {
    super(config)
    // Of a pool it is told how long a connection that others use is waited for; making one may not take as long.
    Object.assign(this, { _connectionTimeoutMillis: patience.connectionTimeoutMillis })
    // Between two statements of a transaction nobody else listens, and an error nobody hears ends the process. The
    // next statement on the connection fails, which is how the transaction learns of it.
    this.on('error', () => {})
    // The database ends what takes too long, and says so; where it says nothing, nobody is there.
    const { watch, statement_timeout } = config as WatchedConfig
    this.on('connect', () => watch.add(this, Number(statement_timeout) * 1.2))
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads; all but (text, values) pass through.
  override query(first: any, values?: any, callback?: any): any {
    const name =
      typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined
    return name ? super.query({ name, text: first, values }, callback) : super.query(first, values, callback)
  }
}

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= mostNames || text.length > longestNamed) return undefined
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
