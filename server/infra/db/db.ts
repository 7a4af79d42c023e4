import pg from 'pg'
import { DatabaseAway } from './away.ts'
import { type Callback, GuardedQuery, type QueryConfig } from './guarded-query.ts'
import { Reader } from './reader.ts'
import { type SessionSettings, setUpSession } from './session.ts'
import { quickMs, SlowReadPool, slowMs } from './slow-read-pool.ts'
import type { Exactly, Statement } from './statement.ts'
import { HealthCheckedPool, patience } from './timeouts.ts'
import { type Answer, inPipeline, sendIn, type Tx } from './transaction.ts'
import { Watch } from './watch.ts'

export { pipelined, type Tx } from './transaction.ts'

/**
 * What everyone holds: a handle that reads. PostgreSQL refuses what would write through it; writing goes through
 * `change` in domain/record/audit.
 */
export interface Db {
  readonly handle: 'reading'
}

export interface Database {
  db: Db
  /** Writes past `change`: for mechanisms with tables of their own, such as jobs, leases and sign-in. */
  pool: pg.Pool
  /**
   * Returns when the database has answered on the connections that serve: each line of the reader, and a connection of
   * each pool but that of slow reads, which may all be at work. Fails when it has not within some seconds.
   */
  ping(): Promise<void>
  /** The connections that are shared out, by what they do, how many callers wait for one, and how many there may be. */
  connections(): { idle: number; busy: number; waiting: number; limit: number }
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
  const { reading, writing, lines, slow } = divide(options.connections)
  const watch = new Watch({ ...options.connection, ...patience })
  const longestMs = statementMs(options)
  const config = (settings: Limits) => configOf(options, watch, settings)
  const toRead = config({ readOnly: true, longestMs })
  const toReadQuickly = config({ readOnly: true, longestMs: Math.min(quickMs, longestMs) })
  const slowest = Math.min(slowMs, longestMs)
  const toReadSlowly = config({ readOnly: true, longestMs: slowest })
  const toWrite = config({ readOnly: false, longestMs })
  // For a connection that others use one waits as long as for a statement: its holder may be waiting for a third.
  const poolOf = (config: pg.PoolConfig, waitMs = longestMs) =>
    new HealthCheckedPool({ ...config, Client: PreparingClient, connectionTimeoutMillis: waitMs }, () =>
      watch.heard(),
    )
  const readingPool = poolOf({ ...toRead, max: reading })
  const slowPool = poolOf({ ...toReadSlowly, max: slow }, slowest)
  const pool = poolOf({ ...toWrite, pipeline: true, max: writing } as pg.PoolConfig)
  const pools = [readingPool, slowPool, pool]
  // A connection that breaks while idle is replaced by its pool; without a listener it would end the process.
  let closing = false
  for (const one of pools) {
    one.on('error', (error) => {
      if (!closing) options.onError(error)
    })
  }
  const reader = new Reader({
    connect: () => new PreparingClient({ ...toReadQuickly, pipeline: true } as pg.ClientConfig),
    fallback: readingPool,
    slow: new SlowReadPool(slowPool),
    connections: lines,
  })
  const handle: Db = { handle: 'reading' }
  poolsOf.set(handle, { reader, readingPool, pool })
  const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, one) => total + count(one), 0)
  return {
    db: handle,
    pool,
    async ping() {
      const late = Promise.withResolvers<never>()
      const timer = setTimeout(
        () => late.reject(new DatabaseAway('The database does not answer.')),
        longestPingMs,
      )
      const answered = Promise.all([reader.ping(), readingPool.query('select'), pool.query('select')])
      await Promise.race([answered, late.promise]).finally(() => clearTimeout(timer))
    },
    connections: () => ({
      idle: sum((one) => one.idleCount),
      busy: sum((one) => one.totalCount - one.idleCount),
      waiting: sum((one) => one.waitingCount),
      limit: reading + slow + writing,
    }),
    async close() {
      closing = true
      await reader.close()
      watch.close()
      await Promise.all(pools.map((one) => one.close()))
    },
  }
}

/**
 * Most reads travel on the reader's lines, so a third of the connections is enough for the others. Two at least write:
 * the first wake-up starts the job queue from within a transaction. Where that is one more than there are, the reader
 * does with one line less. Slow reads have as many as the others and two at least, on top, and only
 * while there are some.
 */
function divide(connections: number): { reading: number; writing: number; lines: number; slow: number } {
  const reading = Math.max(1, Math.floor(connections / 3))
  return {
    ...{ reading, slow: Math.max(2, reading) },
    writing: Math.max(2, connections - reading),
    lines: Math.min(2, connections - 1),
  }
}

const statementMs = ({ statementSeconds = 30 }: DatabaseOptions): number => statementSeconds * 1_000

interface Limits {
  readOnly: boolean
  /** PostgreSQL ends a statement that takes longer. */
  longestMs: number
}

const configOf = (
  options: DatabaseOptions,
  watch: Watch,
  { readOnly, longestMs }: Limits,
): WatchedConfig => ({
  ...options.connection,
  watch,
  longestMs,
  session: {
    role: options.asAppRole ? appRole : null,
    readOnly,
    others: {
      statement_timeout: String(longestMs),
      idle_in_transaction_session_timeout: '60000',
      ...(options.synchronousCommit === false && !readOnly ? { synchronous_commit: 'off' } : {}),
    },
  },
  ...patience,
  application_name: 'signalbox',
  types: { getTypeParser },
})

/** Readiness probes want an answer now. */
const longestPingMs = 4_000

/** The pools of a handle, which only this module reaches. */
const poolsOf = new WeakMap<object, { reader: Reader; readingPool: pg.Pool; pool: pg.Pool }>()

/** Only domain/record/audit/change.ts calls it, as a test holds: everything that writes goes there. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return inPipeline(poolsOf.get(db)!.pool, work)
}

/**
 * One statement that is a commit of its own: it takes one way to the database instead of three. Called as the one
 * above.
 */
export async function inOneStatement<Given, Row>(
  db: Db,
  statement: Statement<Given, Row>,
  parameters: Given,
): Promise<readonly Row[]> {
  const { text, values } = statement.bind(parameters)
  return (await poolsOf.get(db)!.pool.query(text, [...values])).rows as Row[]
}

/**
 * Runs a statement that only reads: together with those of other requests, or inside its transaction. The rows may be
 * shared with another request, so they must not be changed.
 */
export function read<Given, Row, These extends Given>(
  db: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<readonly Row[]> {
  const reader = poolsOf.get(db)?.reader
  return reader ? reader.query(statement.bind(parameters)) : runIn(db, statement, parameters)
}

/**
 * The same for what a person waits for and what takes longer than small reads do, such as a search: on a connection of the
 * slow reads, so that none of the small ones waits behind it.
 */
export function readApart<Given, Row, These extends Given>(
  db: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<readonly Row[]> {
  const reader = poolsOf.get(db)?.reader
  return reader ? reader.queryApart(statement.bind(parameters)) : runIn(db, statement, parameters)
}

/** Runs a statement that writes, or that holds the rows it reads. */
export const write = <Given, Row, These extends Given>(
  tx: Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<Row[]> => runIn(tx, statement, parameters)

async function runIn<Given, Row>(
  handle: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Given,
): Promise<Row[]> {
  const { text, values } = statement.bind(parameters)
  return (await runText(handle, text, values)).rows as Row[]
}

/** The same, for how many rows it wrote: 0 often means that someone else was first. */
export async function affected<Given, These extends Given>(
  tx: Tx,
  statement: Statement<Given, unknown>,
  parameters: Exactly<Given, These>,
): Promise<number> {
  const { text, values } = statement.bind(parameters)
  return (await runText(tx, text, values)).rowCount ?? 0
}

/** Does a part of a transaction that may fail alone: then nothing of it is left, and the rest goes on. */
export async function inPart<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await runText(tx, 'savepoint part', [])
  try {
    const value = await work()
    await runText(tx, 'release savepoint part', [])
    return value
  } catch (error) {
    await runText(tx, 'rollback to savepoint part', [])
    throw error
  }
}

/** For reads that may take long, such as walking the whole log: on a connection of their own. */
export function readSlowly<Given, Row, These extends Given>(
  db: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<Row[]> {
  return runIn(db, statement, parameters)
}

/** SQL that others have written, such as the job queue's. Ours is a statement. */
export async function runText(handle: Db | Tx, text: string, values: readonly unknown[]): Promise<Answer> {
  return sendIn(handle, text, values) ?? poolsOf.get(handle)!.readingPool.query(text, [...values])
}

/** A transaction for a library that only knows pools: whatever it asks of this one is part of the transaction. */
export const poolIn = (tx: Tx) => ({
  connect: async () => ({
    query: (text: string, values: readonly unknown[] = []) => runText(tx, text, values),
    release() {},
  }),
  async end() {},
})

/** bigint columns count entries and bytes here and stay far below 2^53, so they arrive as numbers. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  if (oid === pg.types.builtins.INT8) return Number
  return pg.types.getTypeParser(oid, format)
}

type WatchedConfig = pg.ClientConfig & { watch: Watch; longestMs: number; session: SessionSettings }

const names = new Map<string, string>()
const mostNames = 500
const longestNamed = 5_000

/**
 * Gives every repeated statement a name, so that PostgreSQL parses and plans it once per connection.
 * Texts that vary without bound (multi-row inserts) stay unnamed. It is connected once its session is set up.
 *
 * Behind a pooler nothing is kept from one transaction to the next: statements have no names there, and each transaction
 * begins with what it is set to.
 */
class PreparingClient extends pg.Client {
  readonly #config: WatchedConfig
  #prologue: string | null = null
  #isInTransaction = false

  constructor(config?: pg.ClientConfig) {
    super(config)
    this.#config = config as WatchedConfig
    // Of a pool it is told how long a connection that others use is waited for; making one may not take as long.
    Object.assign(this, { _connectionTimeoutMillis: patience.connectionTimeoutMillis })
    // Between two statements nothing listens for errors, and an unhandled one ends the process. The
    // next statement on the connection fails, which is how the transaction learns of it.
    this.on('error', () => {})
  }

  override connect(): Promise<this>
  override connect(connected: (error: Error) => void): void
  // biome-ignore lint/suspicious/noConfusingVoidType: pg declares the two overloads so
  override connect(connected?: (error: Error) => void): Promise<this> | void {
    const connecting = this.#connect()
    if (!connected) return connecting
    connecting.then(() => connected(undefined as unknown as Error), connected)
  }

  async #connect(): Promise<this> {
    const { watch, longestMs, session } = this.#config
    await super.connect()
    this.#prologue = await setUpSession(this, session)
    // The database ends what takes too long, and says so; where it says nothing, it is gone.
    watch.add(this, longestMs * 1.2)
    return this
  }

  // biome-ignore lint/suspicious/noExplicitAny: pg declares nine overloads; all but (text, values) pass through.
  override query(first: any, values?: any, callback?: any): any {
    if (this.#prologue !== null) return this.#queryPooled(this.#prologue, first, values, callback)
    const name =
      typeof first === 'string' && Array.isArray(values) && values.length > 0 ? nameOf(first) : undefined
    return name ? super.query({ name, text: first, values }, callback) : super.query(first, values, callback)
  }

  #queryPooled(
    prologue: string,
    first: string | QueryConfig,
    values?: unknown[] | Callback,
    callback?: Callback,
  ): unknown {
    const given = typeof first === 'string' ? { text: first } : first
    const { text } = given
    const config = { ...given, name: undefined, ...(Array.isArray(values) ? { values } : {}) }
    const called = typeof values === 'function' ? values : callback
    if (begins.test(text)) {
      this.#isInTransaction = true
      return super.query(`${text}; ${prologue}`, called as never)
    }
    if (this.#isInTransaction) {
      this.#isInTransaction = !ends.test(text)
      return super.query(config as pg.QueryConfig, called as never)
    }
    const query = new GuardedQuery(prologue, config)
    const send = () => super.query(query as unknown as pg.Submittable)
    if (called) {
      query.callback = called
      send()
      return undefined
    }
    return new Promise((resolve, reject) => {
      query.callback = (error, result) => (error ? reject(error) : resolve(result))
      send()
    })
  }
}

/** One statement that begins a transaction, and one that ends it. */
const begins = /^\s*(begin|start\s+transaction)\b[^;]*$/i
const ends = /^\s*(commit|rollback(?!\s+to\b)|end|abort)\b/i

function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known) return known
  if (names.size >= mostNames || text.length > longestNamed) return undefined
  const name = `s${names.size}`
  names.set(text, name)
  return name
}
