import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { type Db, read, type Tx } from './db/db.ts'
import { endQuietly } from './db/end-quietly.ts'
import { statement } from './db/statement.ts'

/**
 * Lets the nodes of one installation keep what they have read of tokens and members in memory, and still forget it
 * everywhere before a revocation is reported as done.
 *
 * A node may trust its memory only while it holds a lease, which it renews by a small query several times a second.
 * The query also tells the newest invalidation, so a node whose lease is fresh knows everything that happened before
 * it was renewed. Whoever invalidates waits until each node with a lease has applied the change, or its lease is over.
 * NOTIFY only makes that quick; nothing depends on its arrival. It is sent in rare transactions alone, because it
 * takes a lock of the whole server at commit.
 */

const channel = 'signalbox_invalidation'
const renewEveryMs = 300
const trustMs = 1_000
/** Longer than the trust in it, and begun later: the database never thinks a lease is over that a node still uses. */
const leaseMs = 1_500

/** Marks everything cached as possibly untrue. Part of the transaction that makes it so. */
export async function invalidate(tx: Tx): Promise<number> {
  const { rows } = await sql<{ sequence: number }>`
    update invalidations set sequence = sequence + 1 returning sequence
  `.execute(tx)
  await sql`select pg_notify(${channel}, ${String(rows[0]!.sequence)})`.execute(tx)
  return rows[0]!.sequence
}

const behind = statement(
  'select from nodes where lease_until > clock_timestamp() and applied < :sequence limit 1',
)

/** Returns once no node trusts what it knew before that invalidation. */
export async function confirmed(db: Db, sequence: number): Promise<void> {
  for (;;) {
    if ((await read(db, behind, { sequence })).length === 0) return
    await sleep(5)
  }
}

export interface Node {
  readonly id: string
  /** Whether memory may be used for a decision made now. */
  isFresh(): boolean
  /** Changes with every invalidation; what was read under an older one must not be remembered. */
  generation(): number
  stop(): Promise<void>
}

interface NodeOptions {
  pool: pg.Pool
  connection: pg.ClientConfig
  /** Forget what may be untrue. Awaited before the node reports the invalidation as applied. */
  onInvalidated: () => void
  /** Called when the number of other living nodes changes between none and some. Awaited likewise. */
  onCompany: (company: boolean) => Promise<void>
  onError: (error: Error) => void
}

export async function joinCluster(options: NodeOptions): Promise<Node> {
  const id = randomUUID()
  let applied = -1
  let trustedUntil = 0
  let company = false
  let stopped = false
  let listener: pg.Client | null = null
  let renewing: Promise<void> | null = null
  let renewAgain = false

  async function renewOnce(): Promise<void> {
    const sentAt = performance.now()
    const { rows } = await options.pool.query<{ sequence: number; others: number }>(
      `with me as (
         insert into nodes (id, lease_until, applied)
         values ($1, clock_timestamp() + $3 * interval '1 millisecond', $2)
         on conflict (id) do update set lease_until = excluded.lease_until, applied = excluded.applied
       )
       select sequence, (select count(*)::int from nodes where lease_until > clock_timestamp() and id <> $1) as others
       from invalidations`,
      [id, applied, leaseMs],
    )
    const { sequence, others } = rows[0]!
    if (others > 0 !== company) {
      await options.onCompany(others > 0)
      company = others > 0
    }
    const news = sequence > applied
    if (news) {
      options.onInvalidated()
      applied = sequence
      renewAgain = true
    }
    trustedUntil = sentAt + trustMs
  }

  /** One renewal at a time; news that arrives meanwhile causes one more. */
  function renew(): Promise<void> {
    if (renewing) {
      renewAgain = true
      return renewing
    }
    renewing = (async () => {
      do {
        renewAgain = false
        await renewOnce()
      } while (renewAgain && !stopped)
    })().finally(() => {
      renewing = null
    })
    return renewing
  }

  async function listen(): Promise<void> {
    const client = new pg.Client({ ...options.connection, application_name: 'signalbox listen' })
    client.on('error', () => {
      if (listener === client) listener = null
    })
    client.on('end', () => {
      if (listener === client) listener = null
    })
    client.on('notification', () => {
      renew().catch(options.onError)
    })
    await client.connect()
    await client.query(`listen ${channel}`)
    listener = client
  }

  await options.pool.query(`delete from nodes where lease_until < clock_timestamp() - interval '1 hour'`)
  await renew()
  await listen()
  // A newcomer is announced like any other news, so that every node has noticed it before it serves.
  const { rows } = await options.pool.query<{ sequence: number }>(
    `with next as (update invalidations set sequence = sequence + 1 returning sequence)
     select sequence, pg_notify('${channel}', sequence::text) from next`,
  )
  await renew()
  for (;;) {
    const { rowCount } = await options.pool.query(
      'select from nodes where lease_until > clock_timestamp() and applied < $1 limit 1',
      [rows[0]!.sequence],
    )
    if (rowCount === 0) break
    await renew()
    await sleep(10)
  }

  const timer = setInterval(async () => {
    try {
      if (!listener) await listen()
      await renew()
    } catch (error) {
      options.onError(error as Error)
    }
  }, renewEveryMs)

  return {
    id,
    isFresh: () => performance.now() < trustedUntil,
    generation: () => applied,
    async stop() {
      stopped = true
      clearInterval(timer)
      await renewing?.catch(() => {})
      trustedUntil = 0
      if (listener) await endQuietly(listener)
      await options.pool.query('delete from nodes where id = $1', [id]).catch(() => {})
    },
  }
}
