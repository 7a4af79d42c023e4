import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type DatabasePair, type Name, names } from './database-pair.ts'
import { Pulse } from './pulse.ts'

const everyMs = 100

/**
 * Commits a row on each database itself, again and again. It knows nothing of Signalbox, so it tells how long
 * PostgreSQL and Patroni took, and what of a gap is ours.
 */
export class Probe {
  readonly commits: Record<Name, Pulse> = { db1: new Pulse('db1'), db2: new Pulse('db2') }
  readonly #databases: DatabasePair
  readonly #ending: Promise<void>[] = []
  #isOver = false

  constructor(databases: DatabasePair) {
    this.#databases = databases
  }

  async begin(): Promise<void> {
    const client = new pg.Client(this.#databases.superuser(await this.#databases.healthy(), 'probe'))
    await client.connect()
    await client.query('create table beats (at timestamptz)')
    await client.end()
    for (const name of names) this.#ending.push(this.#repeat(name))
  }

  async end(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#ending)
  }

  async #repeat(name: Name): Promise<void> {
    while (!this.#isOver) {
      await this.#commitWhilePrimary(name).catch(() => {})
      await sleep(everyMs)
    }
  }

  async #commitWhilePrimary(name: Name): Promise<void> {
    // Longer than a promoted database waits for its standby, so that the commit that waits is the one that tells.
    const client = new pg.Client({ ...this.#databases.superuser(name, 'probe'), query_timeout: 30_000 })
    client.on('error', () => {})
    try {
      await client.connect()
      while (!this.#isOver) {
        await client.query('insert into beats values (now())')
        this.commits[name].beat()
        await sleep(everyMs)
      }
    } finally {
      client.end().catch(() => {})
    }
  }
}
