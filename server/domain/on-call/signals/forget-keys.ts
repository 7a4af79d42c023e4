import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { deleteOldKeysOfAllWorkspaces } from './store.ts'

/** Senders repeat a delivery for two days at most. */
const hoursKept = 72

/** Deletes the keys of deliveries that are too old to be repeated. */
export async function forgetDeliveryKeys({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - hoursKept * 3_600_000)
  await housekeeping(db, 'forget delivery keys', (tx) => deleteOldKeysOfAllWorkspaces(tx, oldest))
}
