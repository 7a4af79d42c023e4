import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { type Tx, unwaited } from '../db/db.ts'
import { jobsSchema, sweeps, wakes } from '../db/install-jobs.ts'

/** A reminder to look at something. It carries ids only: whoever is reminded reads the rest. */
export interface Wake {
  /** What to look at: the name of a task in faces/worker. */
  task: string
  workspaceId: string
  id: string
}

/** Sends wake-ups as part of a transaction: rolled back, they were never sent. */
export interface Queue {
  send(tx: Tx, wake: Wake, after?: { seconds: number }): Promise<void>
  /** To be called once the transaction is committed: this node then looks at once instead of at its next poll. */
  committed(tx: Tx): void
}

/** For whoever writes without an engine beside it, such as a test that moves time by hand. The sweeper finds the rest. */
export const silentQueue: Queue = { send: async () => {}, committed: () => {} }

const pollSeconds = 1
const batch = 20

/** pg-boss on the server's own connections. Its tables are made by `installJobs`, as part of migrating. */
export class Jobs implements Queue {
  readonly #boss: PgBoss
  readonly #sentIn = new WeakSet<object>()
  #started: Promise<unknown> | null = null
  #workers: string[] = []
  #onTrouble: () => void = () => {}

  constructor(options: { pool: pg.Pool; onError: (error: Error) => void }) {
    this.#boss = new PgBoss({
      db: { executeSql: (text, values) => options.pool.query(text, values) },
      schema: jobsSchema,
      migrate: false,
      createSchema: false,
      // Rebuilding an index takes its owner, and the server is not.
      reindex: false,
    })
    this.#boss.on('error', (error) => {
      options.onError(error)
      this.#onTrouble()
    })
  }

  async send(tx: Tx, wake: Wake, after?: { seconds: number }): Promise<void> {
    await this.#start()
    // What number the wake-up gets is of no interest, so nobody waits for it.
    const behind = unwaited(tx)
    const db = {
      executeSql: async (text: string, values: unknown[] = []) => ({
        rows: [...(await behind.executeQuery(CompiledQuery.raw(text, values))).rows],
      }),
    }
    await this.#boss.send(wakes, wake, { db, ...(after ? { startAfter: after.seconds } : {}) })
    this.#sentIn.add(tx)
  }

  committed(tx: Tx): void {
    if (this.hasSent(tx)) this.hurry()
  }

  hasSent(tx: Tx): boolean {
    return this.#sentIn.has(tx)
  }

  /** Somebody beside this queue has sent something, and it is committed. */
  hurry(): void {
    for (const id of this.#workers) this.#boss.notifyWorker(id)
  }

  /** Answers wake-ups. `onTrouble` is told when the queue itself could not be read. */
  async work(handle: (wake: Wake) => Promise<void>, onTrouble: () => void): Promise<void> {
    await this.#start()
    this.#onTrouble = onTrouble
    const options = {
      batchSize: batch,
      pollingIntervalSeconds: pollSeconds,
      perJobResults: true as const,
      // Behind a full batch there is more: without this a backlog is worked off at one batch a poll.
      burstWhenBatchFull: true,
    }
    this.#workers = [
      await this.#boss.work<Wake>(wakes, options, (jobs) => {
        const handleOnce = oncePerWake(handle)
        return Promise.all(
          jobs.map(async (job) => {
            try {
              await handleOnce(job.data)
              return { id: job.id, status: 'completed' as const }
            } catch (error) {
              return { id: job.id, status: 'failed' as const, output: { message: (error as Error).message } }
            }
          }),
        )
      }),
    ]
  }

  /** Sweeps once a minute, on one node of all. */
  async sweepEveryMinute(sweep: () => Promise<unknown>): Promise<void> {
    await this.#start()
    await this.#boss.work(sweeps, { pollingIntervalSeconds: 2 }, () => sweep())
    await this.#boss.schedule(sweeps, '* * * * *')
  }

  async stop(): Promise<void> {
    if (!this.#started) return
    await this.#started
    await this.#boss.stop({ graceful: true, timeout: 5_000 })
  }

  #start(): Promise<unknown> {
    this.#started ??= this.#boss.start()
    return this.#started
  }
}

/**
 * Several runs of a team wake it at once. They all had before anybody looks, so one look answers all; each for itself
 * would wait for the team with a connection in its hand.
 */
function oncePerWake(handle: (wake: Wake) => Promise<void>): (wake: Wake) => Promise<void> {
  const underWay = new Map<string, Promise<void>>()
  return (wake) => {
    const name = `${wake.task}/${wake.workspaceId}/${wake.id}`
    const known = underWay.get(name) ?? handle(wake)
    underWay.set(name, known)
    return known
  }
}
