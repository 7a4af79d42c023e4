import { PgBoss } from 'pg-boss'
import { patiently, type Session } from './run-migration.ts'

export const jobsSchema = 'jobs'
export const wakes = 'wake'
export const sweeps = 'sweep'

/**
 * Makes or updates the queue's tables, over the connection of the migrations: as the owner of the database, and with
 * their patience. On its own, pg-boss would wait for 30 seconds, and everyone who wants its tables behind it.
 */
export async function installJobs(session: Session): Promise<void> {
  const { client, patience } = session
  // It asks for several things at once, and this is one connection.
  let last: Promise<unknown> = Promise.resolve()
  const executeSql = (text: string, values?: unknown[]) => {
    const patient = text.replace(itsLockTimeout, `$1${patience.lockMs}`)
    const next = last.catch(() => {}).then(() => client.query(patient, values))
    last = next
    return next
  }
  await patiently(session, 'of the job queue', async () => {
    const boss = new PgBoss({ db: { executeSql }, schema: jobsSchema, supervise: false, schedule: false })
    const failure = new Promise<never>((_, reject) => boss.on('error', reject))
    failure.catch(() => {})
    try {
      await Promise.race([failure, makeQueues(boss)])
    } catch (error) {
      // What it sends together begins a transaction itself.
      await executeSql('rollback').catch(() => {})
      throw error
    } finally {
      await boss.stop({ graceful: false }).catch(() => {})
      await last.catch(() => {})
    }
  })
}

const itsLockTimeout = /(SET LOCAL lock_timeout = )\d+/g

async function makeQueues(boss: PgBoss): Promise<void> {
  await boss.start()
  // A wake-up that fails is tried again soon and then left to the sweeper, which looks at rows, not at jobs.
  const queue = { retryLimit: 5, retryDelay: 1, retryBackoff: true, retryDelayMax: 30, expireInSeconds: 60 }
  await boss.createQueue(wakes, { ...queue, deleteAfterSeconds: 300, retentionSeconds: 86_400 })
  await boss.createQueue(sweeps, {
    policy: 'singleton',
    retryLimit: 0,
    expireInSeconds: 120,
    deleteAfterSeconds: 600,
  })
}
