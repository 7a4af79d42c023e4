import type pg from 'pg'
import { throwTooSlow } from './away.ts'
import { streamOf } from './timeouts.ts'

/** What `change` and `housekeeping` hand out for the length of a transaction. `write` and `read` send what it does. */
export interface Tx {
  readonly handle: 'transaction'
}

export type Answer = Pick<pg.QueryResult, 'command' | 'rows' | 'rowCount'>

/**
 * A transaction whose statements travel together: each is sent when it is known, not when the one before it was
 * answered. PostgreSQL takes them in order, and after one that failed refuses the rest. So a
 * caller that needs an answer waits for it, and what only writes is waited for once, with the commit.
 */
export async function inPipeline<T>(
  pool: pg.Pool,
  work: (tx: Tx) => Promise<T>,
  afterCommit?: (tx: Tx) => Follower | null,
): Promise<T> {
  const client = await pool.connect().catch(throwTooSlow)
  const line = new Line(client)
  let isBroken = false
  try {
    line.sendPipelined('begin')
    const tx = handleOn(line)
    const value = await work(tx)
    await line.commit(afterCommit?.(tx) ?? null)
    return value
  } catch (error) {
    // A statement that was not waited for may be why the next one was refused.
    const rolledBack = line.rollback()
    const cause = await line.failure()
    await rolledBack.catch(() => {
      isBroken = true
    })
    return throwTooSlow(cause ?? error)
  } finally {
    client.release(isBroken)
  }
}

/** A statement that travels behind the commit, on the same way. It is not part of the transaction. */
export interface Follower {
  text: string
  values: readonly unknown[]
  /** Told its answer. Whether it fails or not, the transaction is committed. */
  onAnswer(answer: Answer | Error): unknown
}

/** A statement was sent on the handle of a transaction that had ended, for example by one of several promises. */
class TransactionOver extends Error {
  constructor() {
    super(
      'The transaction is over: its statement came too late and was not sent. Wait for everything that was started in it.',
    )
  }
}

/** The same transaction for statements whose answer is not needed: if one fails, the commit fails. */
export function pipelined(tx: Tx): Tx {
  return pipelinedOf.get(tx) ?? tx
}

/** Says whose writes are in it. They read what they have written, wherever they read. */
export function writtenBy(tx: Tx, personId: string): void {
  const known = writers.get(tx)
  if (known) known.add(personId)
  else writers.set(tx, new Set([personId]))
}

export const writersIn = (tx: Tx): string[] => [...(writers.get(tx) ?? [])]

const writers = new WeakMap<Tx, Set<string>>()

/** Undefined: the handle is not one of a transaction. */
export const sendIn = (tx: object, text: string, values: readonly unknown[]): Promise<Answer> | undefined =>
  senders.get(tx)?.(text, values)

const pipelinedOf = new WeakMap<Tx, Tx>()
const senders = new WeakMap<object, (text: string, values: readonly unknown[]) => Promise<Answer>>()

function handleOn(line: Line): Tx {
  const [tx, pipelined]: [Tx, Tx] = [{ handle: 'transaction' }, { handle: 'transaction' }]
  senders.set(tx, (text, values) => line.send(text, values))
  senders.set(pipelined, async (text, values) => {
    line.sendPipelined(text, values)
    return { command: '', rows: [], rowCount: null }
  })
  pipelinedOf.set(tx, pipelined)
  return tx
}

/**
 * The connection of one transaction. After the commit or the rollback nothing more is sent: what was sent before
 * is answered first, and the connection then belongs to another transaction.
 */
class Line {
  readonly #client: pg.PoolClient
  /** What was sent and not waited for. */
  readonly #unawaited: Promise<unknown>[] = []
  #isCorked = false
  #isOver = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async send(text: string, values: readonly unknown[]): Promise<Answer> {
    return this.#query(text, values)
  }

  sendPipelined(text: string, values: readonly unknown[] = []): void {
    const sent = this.#query(text, values)
    // Reported by the commit.
    sent.catch(() => {})
    this.#unawaited.push(sent)
  }

  async commit(follower: Follower | null): Promise<void> {
    const committed = this.#query('commit', [])
    const followed = follower && this.#query(follower.text, follower.values).catch((error: Error) => error)
    this.#isOver = true
    // Together: they have been sent, and the answers come in this order.
    const [{ command }] = await Promise.all([committed, ...this.#unawaited])
    if (command === 'ROLLBACK')
      throw new Error('The transaction was rolled back: a statement in it had failed before.')
    if (follower) await follower.onAnswer((await followed)!)
  }

  rollback(): Promise<unknown> {
    this.#isOver = true
    const rolledBack = this.#client.query('rollback')
    // The caller awaits it after it has collected the failure that caused the rollback.
    rolledBack.catch(() => {})
    return rolledBack
  }

  /** The first failure among the statements that were not waited for. */
  async failure(): Promise<unknown> {
    for (const one of await Promise.allSettled(this.#unawaited))
      if (one.status === 'rejected') return one.reason
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
