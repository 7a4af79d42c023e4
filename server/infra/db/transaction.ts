import {
  type ConnectionProvider,
  type DatabaseConnection,
  DefaultQueryExecutor,
  DummyDriver,
  PostgresAdapter,
  PostgresDialect,
  PostgresQueryCompiler,
  type QueryResult,
  Transaction,
} from 'kysely'
import type pg from 'pg'
import { streamOf } from './silence.ts'
import type { Tables } from './tables.ts'

/**
 * A transaction whose statements travel together: each is sent when it is known, not when the one before it was
 * answered. PostgreSQL takes them in order, and after one that failed refuses the rest. So whoever needs an answer waits
 * for it, and what only writes is waited for once, with the commit.
 */
export async function inPipeline<T>(
  pool: pg.Pool,
  work: (tx: Transaction<Tables>) => Promise<T>,
): Promise<T> {
  const client = await pool.connect()
  const line = new Line(client)
  let isBroken = false
  try {
    line.sendBehind('begin')
    const value = await work(handleOn(line))
    await line.commit()
    return value
  } catch (error) {
    // A statement that nobody waited for may be why the next one was refused.
    const rolledBack = line.rollback()
    const cause = await line.failure()
    await rolledBack.catch(() => {
      isBroken = true
    })
    throw cause ?? error
  } finally {
    client.release(isBroken)
  }
}

/** Somebody still held the handle of a transaction that was over, such as one of several that were begun together. */
class TransactionOver extends Error {
  constructor() {
    super(
      'The transaction is over: its statement came too late and was not sent. Wait for all that was begun in it.',
    )
  }
}

/** The same transaction for statements whose answer nobody needs: what fails, fails the commit. */
export function unwaited(tx: Transaction<Tables>): Transaction<Tables> {
  return behindOf.get(tx) ?? tx
}

const behindOf = new WeakMap<Transaction<Tables>, Transaction<Tables>>()

function handleOn(line: Line): Transaction<Tables> {
  const handle = (execute: DatabaseConnection['executeQuery']) => {
    const executor = new DefaultQueryExecutor(compiler, adapter, providerOf(execute))
    return new Transaction<Tables>({ config: { dialect }, dialect, driver, executor })
  }
  const tx = handle((query) => line.send(query.sql, query.parameters))
  behindOf.set(
    tx,
    handle(async (query) => {
      line.sendBehind(query.sql, query.parameters)
      return { rows: [] }
    }),
  )
  return tx
}

const dialect = new PostgresDialect({
  pool: () => Promise.reject(new Error('A transaction has its connection.')),
})
const driver = new DummyDriver()
const compiler = new PostgresQueryCompiler()
const adapter = new PostgresAdapter()

function providerOf(executeQuery: DatabaseConnection['executeQuery']): ConnectionProvider {
  const connection: DatabaseConnection = { executeQuery, streamQuery }
  return { provideConnection: (consumer) => consumer(connection) }
}

function streamQuery(): never {
  throw new Error('A transaction does not stream.')
}

/**
 * The connection of one transaction. With the commit or the rollback it is over: what was sent before stands in front of
 * it and is answered first, and nothing is sent after it, because the connection then belongs to somebody else.
 */
class Line {
  readonly #client: pg.PoolClient
  /** What was sent and not waited for. */
  readonly #behind: Promise<unknown>[] = []
  #isCorked = false
  #isOver = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async send<R>(text: string, values: readonly unknown[] = []): Promise<QueryResult<R>> {
    const { command, rowCount, rows } = await this.#query(text, values)
    const changes =
      command === 'INSERT' || command === 'UPDATE' || command === 'DELETE' || command === 'MERGE'
    return { rows, ...(changes ? { numAffectedRows: BigInt(rowCount ?? 0) } : {}) }
  }

  sendBehind(text: string, values: readonly unknown[] = []): void {
    const sent = this.#query(text, values)
    // Heard of with the commit.
    sent.catch(() => {})
    this.#behind.push(sent)
  }

  async commit(): Promise<void> {
    const committed = this.#query('commit', [])
    this.#isOver = true
    // Together: they have been sent, and the answers come in this order.
    const [{ command }] = await Promise.all([committed, ...this.#behind])
    if (command === 'ROLLBACK')
      throw new Error('The transaction was rolled back: a statement in it had failed before.')
  }

  rollback(): Promise<unknown> {
    this.#isOver = true
    const rolledBack = this.#client.query('rollback')
    // Heard of by whoever waits for it, after what else has failed.
    rolledBack.catch(() => {})
    return rolledBack
  }

  /** The first that failed of those that nobody waited for. */
  async failure(): Promise<unknown> {
    for (const one of await Promise.allSettled(this.#behind)) if (one.status === 'rejected') return one.reason
    return undefined
  }

  /** What is sent in one go of ours leaves in one write. */
  #query(text: string, values: readonly unknown[]): Promise<pg.QueryResult> {
    if (this.#isOver) throw new TransactionOver()
    if (!this.#isCorked) {
      const stream = streamOf(this.#client)
      this.#isCorked = true
      stream.cork()
      process.nextTick(() => {
        this.#isCorked = false
        stream.uncork()
      })
    }
    return this.#client.query(text, [...values])
  }
}
