import type pg from 'pg'
import { PgBoss } from 'pg-boss'

export const jobsSchema = 'jobs'
export const wakes = 'wake'
export const sweeps = 'sweep'

/** Makes or updates the queue's tables. Runs as the owner of the database. */
export async function installJobs(connection: pg.ClientConfig): Promise<void> {
  const boss = new PgBoss({
    ...(connection as object),
    schema: jobsSchema,
    max: 1,
    supervise: false,
    schedule: false,
  })
  const failure = new Promise<never>((_, reject) => boss.on('error', reject))
  failure.catch(() => {})
  try {
    await Promise.race([failure, makeQueues(boss)])
  } finally {
    await boss.stop({ graceful: false }).catch(() => {})
  }
}

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
