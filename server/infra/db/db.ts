import pg from 'pg'
import { activeSpan } from '../active-span.ts'
import { DatabaseAway, throwTooSlow, UnguardedSession } from './away.ts'
import { DatabaseClient } from './client.ts'
import { endQuietly } from './end-quietly.ts'
import { type Callback, GuardedQuery, type QueryConfig } from './guarded-query.ts'
import { nobody, selectLastWrite, upsertLastWrites } from './last-writes.ts'
import { beyond, type Position } from './position.ts'
import { queryAndRelease } from './query-and-release.ts'
import { Reader } from './reader.ts'
import { Replica } from './replica.ts'
import { type SessionSettings, setUpSession } from './session.ts'
import { type Query, quickMs, SlowReadPool, slowMs } from './slow-read-pool.ts'
import type { Exactly, Statement } from './statement.ts'
import { HealthCheckedPool, patience } from './timeouts.ts'
import { type Answer, type Follower, inPipeline, sendIn, type Tx, writersIn } from './transaction.ts'
import { Watch } from './watch.ts'

export { pipelined, type Tx, writtenBy } from './transaction.ts'

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
   * Returns when the database has answered on the connections that serve: each line of the reader, and one of each pool
   * that small reads and writes use. Those that are all at work are not waited for: whatever a caller asks may take long,
   * and the watch knows whether they are silent. Fails when it has not answered within some seconds.
   */
  ping(): Promise<void>
  /** The connections that are shared out, by what they do, how many callers wait for one, and how many there may be. */
  connections(): { idle: number; busy: number; waiting: number; limit: number }
  /** Where some reads go; null: there is none. */
  replica: Pick<Replica, 'state' | 'answered'> | null
  close(): Promise<void>
}

/** The role the running server acts as: it may append to the audit log, never rewrite it (migrations/grants.sql). */
export const appRole = 'signalbox_app'

export interface DatabaseOptions {
  connection: pg.ClientConfig
  /** A replica, or a load balancer before several: for reads that may lag behind what others have written. */
  replica?: ReplicaConfig | null
  /** How many are shared out: a third to reading. The lines of the reader come on top. */
  connections: number
  asAppRole: boolean
  /** How long one may take; half a minute unless told otherwise. */
  statementSeconds?: number
  /** False lets a commit return before it is on the disk: for bulk writes that can be made again. */
  synchronousCommit?: boolean
  onError: (error: Error) => void
}

interface ReplicaConfig {
  connection: pg.ClientConfig
  /** One that is further behind is not read from. */
  longestLagMs: number
}

export function openDatabase(options: DatabaseOptions): Database {
  const { spare, walking, writing, lines, slow } = divide(options.connections)
  const watch = new Watch({ ...options.connection, ...patience })
  const longestMs = statementMs(options)
  const config = (settings: Limits) => onPrimary(configOf(options, watch, settings))
  const toWalk = config({ readOnly: true, longestMs })
  const toReadQuickly = config({ readOnly: true, longestMs: Math.min(quickMs, longestMs) })
  const slowest = Math.min(slowMs, longestMs)
  const toReadSlowly = config({ readOnly: true, longestMs: slowest })
  const toWrite = config({ readOnly: false, longestMs })
  // For a connection that others use one waits as long as for a statement: its holder may be waiting for a third.
  const poolOf = (config: pg.PoolConfig, waitMs = longestMs) =>
    new HealthCheckedPool({ ...config, Client: PreparingClient, connectionTimeoutMillis: waitMs }, () =>
      watch.heard(),
    )
  const sparePool = poolOf({ ...toReadQuickly, max: spare })
  const walkingPool = poolOf({ ...toWalk, max: walking })
  const slowPool = poolOf({ ...toReadSlowly, max: slow }, slowest)
  const pool = poolOf({ ...toWrite, pipeline: true, max: writing } as pg.PoolConfig)
  const pools = [sparePool, walkingPool, slowPool, pool]
  // A connection that breaks while idle is replaced by its pool; without a listener it would end the process.
  let closing = false
  for (const one of pools) {
    one.on('error', (error) => {
      if (!closing) options.onError(error)
    })
  }
  const reader = new Reader({
    connect: () => new PreparingClient({ ...toReadQuickly, pipeline: true } as pg.ClientConfig),
    fallback: { query: (query) => queryAndRelease(sparePool, query) },
    slow: new SlowReadPool(slowPool),
    connections: lines,
  })
  const there = { lines, slow: Math.max(slow, spare) }
  const replica = options.replica ? openReplica(options, options.replica, there) : null
  const handle: Db = { handle: 'reading' }
  poolsOf.set(handle, { reader, walkingPool, pool, replica, from: null })
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
      const idle = [sparePool, pool].filter(hasIdle)
      const asked = [...reader.ping(), ...idle.map((one) => one.query('select'))]
      // Where none is open, one is opened, if there may be another.
      const other = () => (hasRoom(pool) ? pool.query('select') : watch.ask())
      const answered = asked.length > 0 ? Promise.all(asked) : other()
      await Promise.race([answered, late.promise]).finally(() => clearTimeout(timer))
    },
    connections: () => ({
      idle: sum((one) => one.idleCount),
      busy: sum((one) => one.totalCount - one.idleCount),
      waiting: sum((one) => one.waitingCount),
      limit: spare + walking + slow + writing,
    }),
    replica,
    async close() {
      closing = true
      await reader.close()
      await replica?.close()
      watch.close()
      await Promise.all(pools.map((one) => one.close()))
    },
  }
}

/** With sessions like those of the primary: the same role, which cannot write either. */
function openReplica(
  options: DatabaseOptions,
  { connection, longestLagMs }: ReplicaConfig,
  { lines, slow }: { lines: number; slow: number },
): Replica {
  const watch = new Watch({ ...connection, ...patience })
  const there = { ...options, connection }
  const longestMs = statementMs(options)
  const slowest = Math.min(slowMs, longestMs)
  const toReadQuickly = configOf(there, watch, { readOnly: true, longestMs: Math.min(quickMs, longestMs) })
  const toReadSlowly = configOf(there, watch, { readOnly: true, longestMs: slowest })
  const slowPool = new HealthCheckedPool(
    { ...toReadSlowly, max: slow, Client: UnpooledClient, connectionTimeoutMillis: slowest },
    () => watch.heard(),
  )
  return new Replica({
    connect: () => new UnpooledClient({ ...toReadQuickly, pipeline: true } as pg.ClientConfig),
    slowPool,
    lines,
    longestLagMs,
    onClose: () => watch.close(),
  })
}

/** Whether one of its connections has nothing to do. To open another may take longer than a probe waits. */
const hasIdle = ({ idleCount, waitingCount }: pg.Pool): boolean => waitingCount === 0 && idleCount > 0

const hasRoom = ({ totalCount, waitingCount, options }: pg.Pool): boolean =>
  waitingCount === 0 && totalCount < (options.max ?? 0)

interface Shares {
  /** For `readApart`, and for small reads while a line is opened. What takes long is ended there, and asked again below. */
  spare: number
  slow: number
  /** For `readSlowly`. */
  walking: number
  writing: number
  lines: number
}

/**
 * Most reads travel on the reader's lines, so a third of the connections is enough for the others. Two at least write:
 * the first wake-up starts the job queue from within a transaction. Where that is one more than there are, the reader
 * does with one line less. What is slow and what walks far have theirs on top, and only while there is some.
 */
function divide(connections: number): Shares {
  const spare = Math.max(1, Math.floor(connections / 3))
  return {
    ...{ spare, slow: Math.max(2, spare - 1), walking: 1 },
    writing: Math.max(2, connections - spare),
    lines: Math.min(2, connections - 1),
  }
}

/** How many one of these opens at most: those above, and the one that asks about connections that are silent. */
export function mostConnections(connections: number): number {
  const { spare, walking, writing, lines, slow } = divide(connections)
  return spare + walking + writing + lines + slow + 1
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

const onPrimary = (config: WatchedConfig): WatchedConfig => ({
  ...config,
  session: { ...config.session, onPrimary: true },
})

/** Readiness probes want an answer now. */
const longestPingMs = 4_000

/** The pools of a handle, which only this module reaches. */
const poolsOf = new WeakMap<object, Pools>()

interface Pools {
  reader: Reader
  walkingPool: pg.Pool
  pool: pg.Pool
  replica: Replica | null
  /** How far the replica has to be for what is read with this handle; null: it reads from the primary. */
  from: Position | null
}

/** Only domain/record/audit/change.ts calls it, as a test holds: everything that writes goes there. */
export function inTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const pools = poolsOf.get(db)!
  if (!pools.replica) return inPipeline(pools.pool, work)
  return inPipeline(pools.pool, work, (tx) =>
    noting(writersIn(tx), pools.pool, (position) => {
      if (pools.from !== null) pools.from = position
    }),
  )
}

/** Notes where the log is once it has the commit of these people. Tells it; what is not known is beyond everything. */
function noting(personIds: string[], pool: pg.Pool, tell: (position: Position) => void): Follower | null {
  tell(beyond)
  if (personIds.length === 0) return null
  const { text, values } = upsertLastWrites.bind({ personIds })
  return {
    text,
    values,
    async onAnswer(answer) {
      // It is committed, so the caller is told so; but a note that is missing would show them an older state.
      const noted = answer instanceof Error ? await pool.query(text, values).catch(() => null) : answer
      if (noted) tell(Math.max(...noted.rows.map(({ position }) => position as Position)))
    },
  }
}

/** Where the log was after their last write, at least. */
async function lastWriteOf({ reader, pool }: Pools, personId: string): Promise<Position> {
  const [found] = await reader.query<{ position: Position | null }>(selectLastWrite.bind({ personId }))
  if (found?.position != null) return found.position
  const { text, values } = upsertLastWrites.bind({ personIds: [nobody] })
  const { rows } = await pool.query(text, values)
  return rows[0].position
}

/**
 * The same handle for reads that a replica may answer: one that has what this person has written, and what they have
 * `seen` otherwise. Where there is none, or as long as it is behind, the primary answers.
 */
export async function onReplica(db: Db, personId: string, seen: Position = 0): Promise<Db> {
  const pools = poolsOf.get(db)!
  if (!pools.replica) return db
  const from = Math.max(seen, await lastWriteOf(pools, personId))
  const handle: Db = { handle: 'reading' }
  poolsOf.set(handle, { ...pools, from })
  return handle
}

/** How far the replica may be behind that some reads go to; null: there is none. */
export const longestLagMs = (db: Db): number | null => poolsOf.get(db)!.replica?.longestLagMs ?? null

/** On the replica if the handle says so and it can; otherwise on the primary. */
function ask<Row>(pools: Pools, query: Query, isApart: boolean): Promise<readonly Row[]> {
  const { replica, from } = pools
  if (!replica || from === null) return askPrimary(pools, query, isApart)
  return replica.ask<Row>(query, from, isApart).then((rows) => rows ?? askPrimary(pools, query, isApart))
}

const askPrimary = <Row>({ reader }: Pools, query: Query, isApart: boolean): Promise<readonly Row[]> =>
  isApart ? reader.queryApart(query) : reader.query(query)

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
  const asked = poolsOf
    .get(db)!
    .pool.query(text, [...values])
    .catch(throwTooSlow)
  return (await traced(text, asked)).rows as Row[]
}

/** Runs a statement that only reads: in one write with those of other requests, or inside its transaction. */
export function read<Given, Row, These extends Given>(
  db: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<readonly Row[]> {
  const pools = poolsOf.get(db)
  if (!pools) return runIn(db, statement, parameters)
  const bound = statement.bind(parameters)
  return traced(bound.text, ask<Row>(pools, bound, false))
}

/**
 * The same for what a person waits for and what takes longer than small reads do, such as a search: on a connection that
 * none of them travels on. One that turns out to be slow continues among the slow ones, so the next search finds one
 * free, whatever else is slow.
 */
export function readApart<Given, Row, These extends Given>(
  db: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<readonly Row[]> {
  const pools = poolsOf.get(db)
  if (!pools) return runIn(db, statement, parameters)
  const bound = statement.bind(parameters)
  return traced(bound.text, ask<Row>(pools, bound, true))
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
  return (await traced(text, runText(handle, text, values))).rows as Row[]
}

/** Only statements of the register are traced: their texts hold no value of anyone. */
const traced = <T>(text: string, asked: Promise<T>): Promise<T> =>
  activeSpan()?.follow({ type: 'statement', text }, asked) ?? asked

/** The same, for how many rows it wrote: 0 often means that someone else was first. */
export async function affected<Given, These extends Given>(
  tx: Tx,
  statement: Statement<Given, unknown>,
  parameters: Exactly<Given, These>,
): Promise<number> {
  const { text, values } = statement.bind(parameters)
  return (await traced(text, runText(tx, text, values))).rowCount ?? 0
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

/**
 * For work that walks far, such as verifying a whole log, step by step and for minutes: on the connections of such work,
 * for which neither small reads nor readiness wait. What a caller can make slow by asking is `readApart`.
 */
export function readSlowly<Given, Row, These extends Given>(
  db: Db | Tx,
  statement: Statement<Given, Row>,
  parameters: Exactly<Given, These>,
): Promise<Row[]> {
  return runIn(db, statement, parameters)
}

/** SQL that others have written, such as the job queue's. Ours is a statement. */
export async function runText(handle: Db | Tx, text: string, values: readonly unknown[]): Promise<Answer> {
  return (
    sendIn(handle, text, values) ??
    poolsOf
      .get(handle)!
      .walkingPool.query(text, [...values])
      .catch(throwTooSlow)
  )
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
class PreparingClient extends DatabaseClient {
  readonly #config: WatchedConfig
  #prologue: string | null = null
  #isInTransaction = false
  /** Behind a pooler: what is being asked, then what waits for its answer. */
  readonly #waiting: { query: QueryConfig | GuardedQuery; callback: Callback }[] = []

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
    this.#prologue = this.admit(await setUpSession(this, session))
    // A pooler takes a session away as soon as it has answered, also from the middle of what was sent behind that: the
    // next statement is sent when this one is answered.
    if (this.#prologue !== null) Object.assign(this, { pipeline: false })
    // The database ends what takes too long, and says so; where it says nothing, it is gone.
    watch.add(this, longestMs * 1.2)
    return this
  }

  /** Told what each transaction has to begin with, where there is a pooler. */
  protected admit(prologue: string | null): string | null {
    return prologue
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
    const called = typeof values === 'function' ? values : callback
    const given = typeof first === 'string' ? { text: first } : first
    const query = this.#pooled(prologue, { ...given, ...(Array.isArray(values) ? { values } : {}) })
    if (called) return this.#inTurn(query, called)
    return new Promise((resolve, reject) => {
      this.#inTurn(query, (error, result) => (error ? reject(error) : resolve(result)))
    })
  }

  /** What is sent in place of a statement, where others have the session next. */
  #pooled(prologue: string, config: QueryConfig): QueryConfig | GuardedQuery {
    const { text } = config
    if (begins.test(text)) {
      this.#isInTransaction = true
      return { text: `${text}; ${prologue}` }
    }
    const unnamed = { ...config, name: undefined }
    if (!this.#isInTransaction) return new GuardedQuery(prologue, unnamed)
    this.#isInTransaction = !ends.test(text)
    return unnamed
  }

  /** Without a pipeline the driver takes one statement at a time; those behind it wait here. */
  #inTurn(query: QueryConfig | GuardedQuery, callback: Callback): void {
    this.#waiting.push({ query, callback })
    if (this.#waiting.length === 1) this.#sendFirst()
  }

  #sendFirst(): void {
    const [first] = this.#waiting
    if (!first) return
    const onAnswer: Callback = (error, result) => {
      try {
        first.callback(error, result)
      } finally {
        this.#waiting.shift()
        this.#sendFirst()
      }
    }
    if (first.query instanceof GuardedQuery) {
      first.query.callback = onAnswer
      super.query(first.query as unknown as pg.Submittable)
    } else super.query(first.query as pg.QueryConfig, onAnswer as never)
  }
}

/**
 * Of a replica, whose position is asked just before each read: a pooler could ask one session, and read from another on
 * a server that is further behind.
 */
class UnpooledClient extends PreparingClient {
  protected override admit(prologue: string | null): string | null {
    if (prologue === null) return null
    void endQuietly(this)
    throw new UnguardedSession(
      'DATABASE_READ_URL leads through a connection pooler. Set it to the replica itself.',
    )
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
