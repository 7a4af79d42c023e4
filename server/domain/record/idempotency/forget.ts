import type { Context } from '../../context.ts'
import { housekeeping } from '../audit/change.ts'
import { deleteOlderOfAllWorkspaces } from './store.ts'

const hoursKept = 24

/** Forgets keys that can no longer be repeated. */
export async function forgetKeys({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - hoursKept * 3_600_000)
  await housekeeping(db, 'forget idempotency keys', (tx) => deleteOlderOfAllWorkspaces(tx, oldest))
}
