import type { Context } from '../../context.ts'
import { selectLastScheduledOfAllWorkspaces } from './store.ts'

/** One that failed is tried again sooner than the next is due. */
const retryMs = 10 * 60_000

/** Whether the next scheduled backup is due, on any node. */
export async function isBackupDue(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  everyMs: number,
): Promise<boolean> {
  const last = await selectLastScheduledOfAllWorkspaces(db)
  if (!last) return true
  const pauseMs = last.error === null ? everyMs : Math.min(everyMs, retryMs)
  return clock.now().getTime() - last.begunAt.getTime() >= pauseMs
}
