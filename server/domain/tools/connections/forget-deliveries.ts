import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { deleteOldDeliveriesOfAllWorkspaces } from './store.ts'

/** The tools keep theirs for three days at most, and repeat none that is older. */
const daysKept = 14

/** Deletes hook deliveries that are too old for anyone to look at. */
export async function forgetHookDeliveries({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - daysKept * 86_400_000)
  await housekeeping(db, 'forget what hooks brought', (tx) => deleteOldDeliveriesOfAllWorkspaces(tx, oldest))
}
