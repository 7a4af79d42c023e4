import { newId } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import {
  deleteOlderOfAllWorkspaces,
  insertBackupOfAllWorkspaces,
  updateFailedOfAllWorkspaces,
  updateMadeOfAllWorkspaces,
} from './store.ts'

interface Made {
  takenAt: Date
  bytes: number
  rows: number
}

/** What was tried is known for as long. */
const keptDays = 400

/** Makes a backup and writes down what became of it. `id` is the backup's, and in it. */
export async function recordBackup<T extends Made>(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  about: { cause: 'schedule' | 'operator'; place: string | null; encrypted: boolean },
  make: (id: string) => Promise<T>,
): Promise<T> {
  const id = newId(clock.now())
  const longAgo = new Date(clock.now().getTime() - keptDays * 86_400_000)
  await housekeeping(db, 'note that a backup was begun', async (tx) => {
    await insertBackupOfAllWorkspaces(tx, id, about.cause, clock.now(), about)
    await deleteOlderOfAllWorkspaces(tx, longAgo)
  })
  try {
    const made = await make(id)
    await housekeeping(db, 'note that a backup was made', (tx) =>
      updateMadeOfAllWorkspaces(tx, id, clock.now(), made),
    )
    return made
  } catch (error) {
    await housekeeping(db, 'note why a backup failed', (tx) =>
      updateFailedOfAllWorkspaces(tx, id, clock.now(), (error as Error).message),
    ).catch(() => {})
    throw error
  }
}
