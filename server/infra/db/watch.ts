import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseClient } from './client.ts'
import { endQuietly } from './end-quietly.ts'
import { pidOf } from './session.ts'
import { afterArrivals, breakOff, streamOf } from './timeouts.ts'

/** How long a statement is waited for before anyone asks after it; then it is asked again and again. */
const suspiciousMs = 3_000
const askEveryMs = 1_000
/** How long the one who is asked may take: it answers at once, from memory. */
const longestAnswerMs = 4_000

interface Suspect {
  client: pg.ClientBase
  /** How much had been said on it when it fell silent. */
  traffic: number
  /** When it is broken off, whatever anyone says. */
  overAt: number
}

/**
 * Watches connections on which a statement is under way. PostgreSQL answers nothing else on such a connection, so its
 * silence can mean that the statement waits for a lock, or that the network has lost it or its answer. Another
 * connection is asked which it is: where the database is not at work for a connection, there is nothing to wait for any
 * more, and it is broken off. Where no connection says anything at all, the database
 * is out of reach. One that is overworked still says something somewhere, and then everyone waits on.
 */
export class Watch {
  readonly #connection: pg.ClientConfig
  readonly #watched = new Set<pg.ClientBase>()
  readonly #suspects = new Map<pg.ClientBase, Suspect>()
  #asking: Promise<void> | null = null
  /** Behind a pooler the numbers of sessions are not those of the database: then nothing is known of them. */
  #isBlind = false
  /** Of connections that have ended: an end is nothing that the database said. */
  #heardOfOthers = 0
  #closed = false

  constructor(connection: pg.ClientConfig) {
    this.#connection = {
      ...connection,
      application_name: 'signalbox watch',
      connectionTimeoutMillis: longestAnswerMs,
    }
  }

  /** From its connecting to its end. Longer than `longestMs` no statement is waited for in any case. */
  add(client: pg.ClientBase, longestMs: number): void {
    this.#watched.add(client)
    client.once('end', () => {
      this.#heardOfOthers += streamOf(client).bytesRead
      this.#watched.delete(client)
      this.#suspects.delete(client)
    })
    // Told once after the last that was sent or heard, however long the silence lasts.
    streamOf(client)
      .setTimeout(suspiciousMs)
      .on('timeout', () => afterArrivals(() => this.#suspect(client, longestMs)))
  }

  #suspect(client: pg.ClientBase, longestMs: number): void {
    if (!isUnderWay(client) || this.#closed) return
    const overAt = performance.now() + longestMs - suspiciousMs
    this.#suspects.set(client, { client, traffic: trafficOf(client), overAt })
    this.#asking ??= this.#askWhileSuspicious().finally(() => {
      this.#asking = null
    })
  }

  /** Changes with everything that the database says to anyone here. */
  heard(): number {
    let bytes = this.#heardOfOthers
    for (const client of this.#watched) bytes += streamOf(client).bytesRead
    return bytes
  }

  /** Returns when the database has answered a connection that no one else uses. */
  async ask(): Promise<void> {
    await this.#atWork([])
  }

  close(): void {
    this.#closed = true
  }

  async #askWhileSuspicious(): Promise<void> {
    for (;;) {
      for (const suspect of this.#suspects.values()) this.#lookAt(suspect)
      if (this.#suspects.size === 0 || this.#closed) return
      if (!this.#isBlind) await this.#askOnce([...this.#suspects.values()])
      await sleep(askEveryMs, undefined, { ref: false })
    }
  }

  #lookAt(suspect: Suspect): void {
    if (!isSilent(suspect)) this.#suspects.delete(suspect.client)
    else if (performance.now() > suspect.overAt) breakOff(suspect.client)
  }

  async #askOnce(suspects: Suspect[]): Promise<void> {
    const heard = this.heard()
    const atWork = await this.#atWork(suspects).catch(() => null)
    if (this.#isBlind || (atWork === null && this.heard() !== heard)) return
    for (const suspect of suspects)
      if (!atWork?.has(pidOf(suspect.client)) && isSilent(suspect)) breakOff(suspect.client)
  }

  /** For which of them the database is at work. Fails where it does not answer. */
  async #atWork(suspects: Suspect[]): Promise<Set<number>> {
    // A new one each time: one that is kept may be as silent as they are.
    const asked = new DatabaseClient(this.#connection)
    asked.on('error', () => {})
    const timer = setTimeout(() => breakOff(asked), longestAnswerMs)
    try {
      await asked.connect()
      // It stays the login's own: another role is not told what these sessions do. It reads, and nothing else.
      await asked.query('begin transaction read only')
      const { rows } = await asked.query<{ pid: number; own: number }>(
        `select pid, pg_backend_pid() as own from pg_stat_activity
         where pid = pg_backend_pid() or pid = any($1) and (state is null or state <> all ($2))`,
        [suspects.map(({ client }) => pidOf(client)), idle],
      )
      this.#isBlind = rows[0]?.own !== pidOf(asked)
      return new Set(rows.map(({ pid }) => pid))
    } finally {
      clearTimeout(timer)
      void endQuietly(asked)
    }
  }
}

/** A session in one of these states has answered its query, or never received it. */
const idle = ['idle', 'idle in transaction', 'idle in transaction (aborted)']

const isSilent = ({ client, traffic }: Suspect): boolean =>
  isUnderWay(client) && trafficOf(client) === traffic

const trafficOf = (client: pg.ClientBase): number => {
  const { bytesRead, bytesWritten } = streamOf(client)
  return bytesRead + bytesWritten
}

const isUnderWay = (client: pg.ClientBase): boolean =>
  !(client as unknown as { readyForQuery: boolean }).readyForQuery
