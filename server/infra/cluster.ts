import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type * as Sql from './cluster.types.ts'
import { DatabaseClient } from './db/client.ts'
import { type Db, read, type Tx, write } from './db/db.ts'
import { endQuietly } from './db/end-quietly.ts'
import { queryPool } from './db/query-pool.ts'
import { setUpSession } from './db/session.ts'
import { statement } from './db/statement.ts'
import { isAnswering, patience } from './db/timeouts.ts'

/**
 * Lets the nodes of one installation keep what they have read of tokens and members in memory, and still forget it
 * everywhere before a revocation is reported as done.
 *
 * A node may trust its memory only while it holds a lease, which it renews by a small query several times a second.
 * The query also tells the newest invalidation, so a node whose lease is fresh knows everything that happened before
 * it was renewed. An invalidation waits until each node with a lease has applied the change, or its lease is over.
 * NOTIFY only makes that quick; nothing depends on its arrival. It is sent in rare transactions alone, because it
 * takes a lock of the whole server at commit.
 */

const channel = 'signalbox_invalidation'
const newsChannel = 'signalbox_news'
const renewEveryMs = 300
const trustMs = 1_000
const askListenerEveryMs = 5_000
/** Longer than the trust in it, and begun later: the database never thinks a lease is over that a node still uses. */
const leaseMs = 1_500
/** A node whose lease is over may only be late, as all are when the database stands still: it counts as company a while. */
const companyMs = 10_000

const updateInvalidationsSql = statement<Sql.UpdateInvalidations>(`
  update invalidations set sequence = sequence + 1 returning sequence`)

const notifyInvalidatedSql = statement<Sql.NotifyInvalidated>(`select pg_notify(:channel, :sequence)`)

/** Marks everything cached as possibly untrue. Part of the transaction that makes it so. */
export async function invalidate(tx: Tx): Promise<number> {
  const rows = await write(tx, updateInvalidationsSql, {})
  await write(tx, notifyInvalidatedSql, { channel, sequence: String(rows[0]!.sequence) })
  return rows[0]!.sequence
}

const tellNodesSql = statement<Sql.TellNodes>(`select pg_notify(:newsChannel, :news)`)

/**
 * Tells every node something, once the transaction is committed. It may get lost with a connection: a waiter
 * for it polls now and then as well. As rare as an invalidation, for the same reason.
 */
export async function tellNodes(tx: Tx, news: string): Promise<void> {
  await write(tx, tellNodesSql, { newsChannel, news })
}

const behind = statement<Sql.Behind>(
  'select from nodes where lease_until > clock_timestamp() and applied < :sequence limit 1',
)

const deleteNodesSql = statement<Sql.DeleteNodes>('delete from nodes')

const deleteOldNodesSql = statement<Sql.DeleteOldNodes>(
  `delete from nodes where lease_until < clock_timestamp() - interval '1 hour'`,
)

const deleteNodeSql = statement<Sql.DeleteNode>('delete from nodes where id = :id')

const announceSql = statement<Sql.Announce>(`
  with next as (update invalidations set sequence = sequence + 1 returning sequence)
  select sequence, pg_notify(:channel, sequence::text) from next`)

const renewSql = statement<Sql.Renew>(`
  with me as (
    insert into nodes (id, lease_until, applied, version, migration, host, skew_ms, secret_keys, seals_with)
    values (:id, clock_timestamp() + :leaseMs::int * interval '1 millisecond', :applied, :version?, :migration?, :host?,
      least(greatest(extract(epoch from :now::timestamptz - clock_timestamp()) * 1000, -1e9), 1e9)::int,
      :known?::text[], :fingerprint?)
    on conflict (id) do update set
      lease_until = excluded.lease_until, applied = excluded.applied, skew_ms = excluded.skew_ms,
      seals_with = excluded.seals_with
  )
  select sequence, (select secret_fingerprint from instance) as key,
    (select count(*)::int from nodes where lease_until > clock_timestamp() and id <> :id) as "others!"
  from invalidations`)

/** Returns once no node trusts what it knew before that invalidation. */
export async function confirmed(db: Db, sequence: number): Promise<void> {
  const over = leasesOver()
  while (!over() && (await read(db, behind, { sequence })).length > 0) await sleep(5)
}

/**
 * Whether every lease that is held now has run out. Told by a monotonic clock: the database's may be set back,
 * and then a lease of a node that is gone would last as long as that.
 */
function leasesOver(): () => boolean {
  const end = performance.now() + leaseMs
  return () => performance.now() >= end
}

interface NodeOptions {
  pool: pg.Pool
  /** For listening: it leads to PostgreSQL itself, where there is a way. */
  connection: pg.ClientConfig
  /** Whom it listens as; null leaves it to the login. */
  role?: string | null
  /** There is only one node: another one on record was killed. */
  alone?: boolean
  /** What operators are shown of it. */
  about?: NodeFacts
  /** The keys that it has, and what it does when the installation uses another of them. */
  keys?: NodeKeys
  now?: () => number
  onError: (error: Error) => void
  /** Told once that its connection leads through a pooler: it then hears nothing, and only asks. */
  onDeaf?: () => void
}

interface NodeFacts {
  version: string
  /** The newest migration that its code knows. */
  migration: number
  /** Its machine, and what tells it from other nodes there. */
  host: string
}

interface NodeKeys {
  /** Fingerprints: that of SECRET_KEY first. */
  known: readonly string[]
  readonly fingerprint: string
  use(fingerprint: string): unknown
}

/** What others do when the node hears something. */
interface Handlers {
  /** Forget what may be untrue. Done before the node reports the invalidation as applied. */
  onInvalidated: () => void
  /** What some node told all of them. */
  onNews?: (news: string) => void
  /** Called when the first other node appears and when the last one has gone. Awaited likewise. */
  onCompany: (company: boolean) => Promise<void>
}

/** This process among the others: its lease, and what it was notified of. Until it has joined, nothing is fresh. */
export class Node {
  readonly id = randomUUID()
  readonly #options: NodeOptions
  readonly #now: () => number
  #handlers: Handlers | null = null
  #applied = -1
  #trustedUntil = 0
  #company = false
  #companySeenAt = 0
  #stopped = false
  #listener: pg.Client | null = null
  #isDeaf = false
  #askListenerAt = 0
  #renewing: Promise<void> | null = null
  #renewAgain = false
  #turn: Promise<void> | null = null
  #timer: NodeJS.Timeout | undefined

  constructor(options: NodeOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  /** Whether memory may be used for a decision made now. */
  isFresh(): boolean {
    return this.#now() < this.#trustedUntil
  }

  /** Changes with every invalidation; what was read under an older one must not be remembered. */
  generation(): number {
    return this.#applied
  }

  /** Makes this process a node. Returns when every other node has noticed it. */
  async join(handlers: Handlers): Promise<void> {
    const { pool, alone, onError } = this.#options
    this.#handlers = handlers
    await queryPool(pool, alone ? deleteNodesSql : deleteOldNodesSql, {})
    await this.#renew()
    await this.#listen()
    await this.#announce()
    this.#timer = setInterval(() => this.#tick()?.catch(onError), renewEveryMs)
  }

  async stop(): Promise<void> {
    this.#stopped = true
    clearInterval(this.#timer)
    // A turn that is under way may begin to listen again.
    await this.#turn?.catch(() => {})
    await this.#renewing?.catch(() => {})
    this.#trustedUntil = 0
    if (this.#listener) await endQuietly(this.#listener)
    await queryPool(this.#options.pool, deleteNodeSql, { id: this.id }).catch(() => {})
  }

  /** While the database is away a turn takes longer than the time between two; one is enough. */
  #tick(): Promise<void> | null {
    if (this.#turn) return null
    this.#turn = this.#renew()
      .then(() => this.#keepListening())
      .finally(() => {
        this.#turn = null
      })
    return this.#turn
  }

  /** NOTIFY comes unasked: on a connection that drops packets it would be lost unnoticed. */
  async #keepListening(): Promise<void> {
    if (this.#isDeaf) return
    if (this.#listener && performance.now() < this.#askListenerAt) return
    const isHeard = this.#listener !== null && (await isAnswering(this.#listener))
    if (!isHeard && !this.#stopped) await this.#listen()
    this.#askListenerAt = performance.now() + askListenerEveryMs
  }

  /** A newcomer is news like any other: it serves once everyone has applied its arrival. */
  async #announce(): Promise<void> {
    const { pool } = this.#options
    const [announced] = await queryPool(pool, announceSql, { channel })
    const over = leasesOver()
    for (;;) {
      await this.#renew()
      const late = await queryPool(pool, behind, { sequence: announced!.sequence })
      if (late.length === 0 || over()) return
      await sleep(10)
    }
  }

  /** One renewal at a time; news that arrives during it causes one more. */
  #renew(): Promise<void> {
    if (this.#renewing) {
      this.#renewAgain = true
      return this.#renewing
    }
    this.#renewing = this.#renewUntilQuiet().finally(() => {
      this.#renewing = null
    })
    return this.#renewing
  }

  async #renewUntilQuiet(): Promise<void> {
    do {
      this.#renewAgain = false
      await this.#renewOnce()
    } while (this.#renewAgain && !this.#stopped)
  }

  async #renewOnce(): Promise<void> {
    const { onInvalidated, onCompany } = this.#handlers!
    const { about, keys } = this.#options
    const sentAt = this.#now()
    const [renewed] = await queryPool(this.#options.pool, renewSql, {
      ...{ id: this.id, applied: this.#applied, leaseMs, now: new Date() },
      ...{ version: about?.version ?? null, migration: about?.migration ?? null, host: about?.host ?? null },
      ...{ known: keys ? [...keys.known] : null, fingerprint: keys?.fingerprint ?? null },
    })
    const { sequence, others, key } = renewed!
    if (keys && key !== null && key !== keys.fingerprint) keys.use(key)
    if (others > 0) this.#companySeenAt = sentAt
    const company = others > 0 || (this.#company && sentAt < this.#companySeenAt + companyMs)
    if (company !== this.#company) {
      await onCompany(company)
      this.#company = company
    }
    if (sequence > this.#applied) {
      onInvalidated()
      this.#applied = sequence
      // The others wait to hear that it is applied.
      this.#renewAgain = true
    }
    this.#trustedUntil = sentAt + trustMs
  }

  async #listen(): Promise<void> {
    const client = new DatabaseClient({
      ...this.#options.connection,
      ...patience,
      application_name: 'signalbox listen',
    })
    const gone = () => {
      if (this.#listener === client) this.#listener = null
    }
    client.on('error', gone)
    client.on('end', gone)
    client.on('notification', (message) => {
      if (message.channel === newsChannel) this.#handlers!.onNews?.(message.payload ?? '')
      else this.#renew().catch(this.#options.onError)
    })
    try {
      await client.connect()
      const { role = null, onDeaf } = this.#options
      this.#isDeaf = (await setUpSession(client, { role, readOnly: true, others: {} })) !== null
      if (this.#isDeaf) {
        onDeaf?.()
        await endQuietly(client)
        return
      }
      await client.query(`listen ${channel}; listen ${newsChannel}`)
    } catch (error) {
      await endQuietly(client)
      throw error
    }
    this.#listener = client
  }
}
