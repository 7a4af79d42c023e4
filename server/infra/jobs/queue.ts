import type pg from 'pg'
import { PgBoss } from 'pg-boss'
import { DatabaseAway } from '../db/away.ts'
import { pipelined, runText, type Tx } from '../db/db.ts'
import { jobsSchema, sweeps, wakes } from '../db/install-jobs.ts'

/** A reminder to look at something. It carries ids only: the worker reads the rest. */
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

/** For writes without an engine beside them, such as a test that moves time by hand. The sweeper finds the rest. */
export const silentQueue: Queue = { send: async () => {}, committed: () => {} }

interface JobsOptions {
  pool: pg.Pool
  onError: (error: Error) => void
}

const pollSeconds = 1
const batch = 20

/** pg-boss on the server's own connections. Its tables are made by `installJobs`, as part of migrating. */
export class Jobs implements Queue {
  readonly #options: JobsOptions
  readonly #sentIn = new WeakSet<object>()
  #started: Promise<PgBoss> | null = null
  #boss: PgBoss | null = null
  #workers: string[] = []
  #onTrouble: () => void = () => {}

  constructor(options: JobsOptions) {
    this.#options = options
  }

  async send(tx: Tx, wake: Wake, after?: { seconds: number }): Promise<void> {
    const boss = await this.#start()
    // The id of the job is not needed, so the statement is not waited for.
    const unawaited = pipelined(tx)
    const db = {
      executeSql: async (text: string, values: unknown[] = []) => ({
        rows: (await runText(unawaited, text, values)).rows,
      }),
    }
    await boss.send(wakes, wake, { db, ...(after ? { startAfter: after.seconds } : {}) })
    this.#sentIn.add(tx)
  }

  committed(tx: Tx): void {
    if (this.hasSent(tx)) this.hurry()
  }

  hasSent(tx: Tx): boolean {
    return this.#sentIn.has(tx)
  }

  /** Someone beside this queue has sent something, and it is committed. */
  hurry(): void {
    for (const id of this.#workers) this.#boss?.notifyWorker(id)
  }

  /** Answers wake-ups. `onTrouble` is told when the queue itself could not be read. */
  async work(handle: (wake: Wake) => Promise<void>, onTrouble: () => void): Promise<void> {
    const boss = await this.#start()
    this.#onTrouble = onTrouble
    const options = {
      batchSize: batch,
      pollingIntervalSeconds: pollSeconds,
      perJobResults: true as const,
      // Behind a full batch there is more: without this a backlog is worked off at one batch a poll.
      burstWhenBatchFull: true,
    }
    this.#workers = [
      await boss.work<Wake>(wakes, options, (jobs) => {
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
    const boss = await this.#start()
    // First what can fail: a retry must not sweep twice.
    await boss.schedule(sweeps, '* * * * *')
    await boss.work(sweeps, { pollingIntervalSeconds: 2 }, () => sweep())
  }

  async stop(): Promise<void> {
    // One that did not start has stopped on its own.
    const boss = await this.#started?.catch(() => null)
    await boss?.stop({ graceful: true, timeout: 5_000 })
  }

  /** One whose start failed is of no use any more: the next that is asked something is another. */
  #start(): Promise<PgBoss> {
    this.#started ??= this.#startOne().catch((error) => {
      this.#started = null
      throw error
    })
    return this.#started
  }

  async #startOne(): Promise<PgBoss> {
    const { pool, onError } = this.#options
    const boss = new PgBoss({
      db: { executeSql: (text, values) => pool.query(text, values) },
      schema: jobsSchema,
      migrate: false,
      createSchema: false,
      // Rebuilding an index takes its owner, and the server is not.
      reindex: false,
    })
    boss.on('error', (error) => {
      onError(error)
      this.#onTrouble()
    })
    try {
      await boss.start()
      await refuseWithoutQueues(boss)
    } catch (error) {
      // Not waited for: its pending queries to an unreachable database end on their own.
      boss.stop({ graceful: false }).catch(() => {})
      throw error
    }
    this.#boss = boss
    return boss
  }
}

/** pg-boss counts as started although it could not read its queues, and answers nothing for the next minute. */
async function refuseWithoutQueues(boss: PgBoss): Promise<void> {
  try {
    await boss.getJobById(wakes, nobody)
  } catch (cause) {
    throw new DatabaseAway('The job queue could not be read.', { cause })
  }
}

const nobody = '00000000-0000-0000-0000-000000000000'

/**
 * Several runs of a team wake it at once. They all had before anyone looks, so one look answers all; each for itself
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
