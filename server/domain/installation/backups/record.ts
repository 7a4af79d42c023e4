import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { changeTogether, housekeeping } from '../../record/audit/change.ts'
import { type CompletedCopy, type CopiedBy, causeOf, entriesOf } from './entries.ts'
import {
  deleteOlderOfAllWorkspaces,
  insertBackupOfAllWorkspaces,
  updateFailedOfAllWorkspaces,
  updateMadeOfAllWorkspaces,
} from './store.ts'

/** What was tried is known for as long. */
const keptDays = 400

/**
 * Makes a backup and records how it went. `id` is the backup's, and in it. Every workspace has an entry about
 * it. What the schedule tries in vain leaves none: it is tried again every few minutes, and nothing is left of it.
 */
export async function recordBackup<T extends CompletedCopy>(
  services: Pick<Context, 'db' | 'clock' | 'queue'>,
  about: CopiedBy,
  make: (id: string) => Promise<T>,
): Promise<T> {
  const { db, clock } = services
  const id = newId(clock.now())
  // The secrets alone are no backup, but a copy.
  const isBackup = about.part !== 'secrets'
  if (isBackup) await begin(services, id, about)
  try {
    const made = await make(id)
    await changeTogether(services, async (tx) => {
      if (isBackup) await updateMadeOfAllWorkspaces(tx, id, clock.now(), made)
      return { value: undefined, audit: await entriesOf(services, tx, id, about, made) }
    })
    return made
  } catch (error) {
    const { message } = error as Error
    const isNoted =
      about.by !== null
        ? changeTogether(services, async (tx) => {
            if (isBackup) await updateFailedOfAllWorkspaces(tx, id, clock.now(), message)
            return { value: undefined, audit: await entriesOf(services, tx, id, about, { reason: message }) }
          })
        : housekeeping(db, 'note why a backup failed', (tx) =>
            updateFailedOfAllWorkspaces(tx, id, clock.now(), message),
          )
    await isNoted.catch(() => {})
    throw error
  }
}

async function begin({ db, clock }: Pick<Context, 'db' | 'clock'>, id: string, about: CopiedBy) {
  const longAgo = new Date(clock.now().getTime() - keptDays * 86_400_000)
  await housekeeping(db, 'note that a backup began', async (tx) => {
    await insertBackupOfAllWorkspaces(tx, id, causeOf(about), clock.now(), about)
    await deleteOlderOfAllWorkspaces(tx, longAgo)
  })
}
