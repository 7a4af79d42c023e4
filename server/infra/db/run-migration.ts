import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseClient } from './client.ts'
import { endQuietly } from './end-quietly.ts'
import { isConcurrent, type Migration, MigrationError, statementsIn } from './migration-files.ts'
import { patience } from './timeouts.ts'

export interface Patience {
  /**
   * How long a statement waits for a lock. Everything that wants the same table waits behind it for as long. Less than
   * PostgreSQL's deadlock_timeout, so that it is the migration that gives up, not a request that waits for it.
   */
  lockMs: number
  /** The first pause before another attempt; it doubles. */
  pauseMs: number
  longestPauseMs: number
  /** After this it gives up, and says what was in its way. */
  totalMs: number
}

export const usualPatience: Patience = {
  ...{ lockMs: 500, pauseMs: 500, longestPauseMs: 10_000, totalMs: 600_000 },
}

export interface Session {
  client: pg.Client
  connection: pg.ClientConfig
  log: (line: string) => void
  patience: Patience
}

/**
 * Applies one migration and notes that. A lock that is held by others is not waited for in line, where everyone else
 * would queue up behind: the attempt is given up soon and made again.
 */
export async function runMigration(session: Session, migration: Migration): Promise<void> {
  try {
    if (migration.online) await runOnline(session, migration)
    else await retrying(session, migration.name, () => runInTransaction(session, migration))
  } catch (cause) {
    if (cause instanceof MigrationError) throw cause
    throw new MigrationError(`Migration ${migration.name} failed: ${(cause as Error).message}`, { cause })
  }
}

async function runInTransaction({ client, patience: { lockMs } }: Session, migration: Migration) {
  await client.query('begin')
  try {
    // Of what an operator has set for those who ask: building an index takes as long as it takes.
    await client.query(`set local lock_timeout = ${lockMs}; set local statement_timeout = 0`)
    await client.query(migration.text)
    await note(client, migration)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** A statement that an attempt before this one has done does nothing, so an attempt that failed is made again. */
async function runOnline(session: Session, migration: Migration): Promise<void> {
  await runStatements(session, migration.name, statementsIn(migration.text))
  await note(session.client, migration)
}

/** One after the other, each a transaction of its own, while other nodes are at work. */
export async function runStatements(session: Session, name: string, statements: string[]): Promise<void> {
  const { client, patience } = session
  for (const statement of statements) {
    const index = /^create (?:unique )?index concurrently (?:if not exists )?(\w+)/i.exec(statement)?.[1]
    const attempt = async () => {
      // What failed may be the attempt before this one.
      if (index) await dropBroken(client, index)
      await client.query(statement)
    }
    // It waits for transactions that were there before, and no one waits behind it.
    const lockMs = isConcurrent(statement) ? 0 : patience.lockMs
    await patiently(session, name, attempt, lockMs)
  }
}

/** Does something on the session's connection that may need locks, again and again until it gets them. */
export async function patiently(
  session: Session,
  name: string,
  work: () => Promise<unknown>,
  lockMs = session.patience.lockMs,
): Promise<void> {
  const { client } = session
  await retrying(session, name, async () => {
    await client.query(`set lock_timeout = ${lockMs}; set statement_timeout = 0`)
    await work()
  }).finally(() => client.query('reset lock_timeout').catch(() => {}))
}

/** An index that could not be built to its end is never used, but is updated with every write. */
async function dropBroken(client: pg.Client, index: string): Promise<void> {
  const { rowCount } = await client.query(
    'select from pg_index where indexrelid = to_regclass($1) and not indisvalid',
    [index],
  )
  if (rowCount) await client.query(`drop index concurrently ${index}`)
}

const note = (client: pg.Client, { number, name, checksum, contract }: Migration) =>
  client.query('insert into migrations (number, name, checksum, contract) values ($1, $2, $3, $4)', [
    number,
    name,
    checksum,
    contract,
  ])

/** Another transaction held the lock, or it and this one waited for each other. */
const isLocked = (error: unknown) => ['55P03', '40P01'].includes((error as { code?: string }).code ?? '')

async function retrying(session: Session, name: string, attempt: () => Promise<void>): Promise<void> {
  const { log, patience } = session
  const giveUpAt = Date.now() + patience.totalMs
  const blockers = new Blockers(session, name)
  try {
    for (let pauseMs = patience.pauseMs; ; pauseMs = Math.min(pauseMs * 2, patience.longestPauseMs)) {
      const error = await blockers.during(attempt).then(
        () => null,
        (error: Error) => error,
      )
      if (!error) return
      if (!isLocked(error)) throw error
      const inTheWay = await blockers.described()
      if (Date.now() + pauseMs > giveUpAt)
        throw new MigrationError(
          `Migration ${name} could not get its locks within ${Math.round(patience.totalMs / 1_000)} seconds. It waited for ${inTheWay}. End that transaction, then start Signalbox again.`,
          { cause: error },
        )
      log(`migration ${name} waits for ${inTheWay}; tried again in ${pauseMs} ms`)
      await sleep(pauseMs)
    }
  } finally {
    await blockers.close()
  }
}

interface Blocker {
  pid: number
  user: string | null
  application: string
  state: string | null
  seconds: number | null
}

/** Asks what an attempt waits for, over another connection, while it still waits: afterwards it is not known. */
class Blockers {
  readonly #session: Session
  readonly #name: string
  #asking: pg.Client | null = null
  #asked: Promise<void> = Promise.resolve()
  #found = 'a lock that others hold'
  /** Who is in the way was logged; those, once. */
  #told = ''
  #began = 0

  constructor(session: Session, name: string) {
    this.#session = session
    this.#name = name
  }

  /** Again and again, because it may be long at work before it comes to what it has to wait for. */
  async during(attempt: () => Promise<void>): Promise<void> {
    this.#began = Date.now()
    let isAsking = false
    const timer = setInterval(() => {
      if (isAsking) return
      isAsking = true
      this.#asked = this.#ask()
        .catch(() => {})
        .finally(() => {
          isAsking = false
        })
    }, this.#session.patience.lockMs / 4)
    await attempt().finally(() => clearInterval(timer))
  }

  /** What was found last. Connecting may have taken too long for the first attempt; the next one finds it connected. */
  async described(): Promise<string> {
    await this.#asked
    return this.#found
  }

  async close(): Promise<void> {
    await this.#asked
    if (this.#asking) await endQuietly(this.#asking)
  }

  async #ask(): Promise<void> {
    const { processID: pid } = this.#session.client as unknown as { processID: number }
    this.#asking ??= await this.#connect()
    const { rows } = await this.#asking.query<Blocker>(
      `select a.pid, a.usename as "user", a.application_name as application, a.state,
         extract(epoch from clock_timestamp() - a.xact_start)::int as seconds
       from unnest(pg_blocking_pids($1)) as blocking (pid) join pg_stat_activity a using (pid)`,
      [pid],
    )
    if (rows.length === 0) return
    this.#found = rows.map(described).join(' and ')
    this.#tell(rows.map((row) => row.pid).join())
  }

  /** What is built concurrently waits for as long as it takes, so it is said while it waits. */
  #tell(pids: string): void {
    const { log, patience } = this.#session
    if (pids === this.#told || Date.now() - this.#began < patience.longestPauseMs) return
    this.#told = pids
    log(`migration ${this.#name} waits for ${this.#found}`)
  }

  async #connect(): Promise<pg.Client> {
    const { connection } = this.#session
    const client = new DatabaseClient({ ...connection, ...patience, application_name: 'signalbox migrate' })
    client.on('error', () => {})
    await client.connect()
    return client
  }
}

/** Without what it has asked: that may hold what no log should. */
const described = ({ pid, user, application, state, seconds }: Blocker) =>
  `process ${pid} of the database (${[application || 'unnamed', user && `user ${user}`, state, seconds !== null && `in a transaction for ${seconds} s`].filter(Boolean).join(', ')})`
