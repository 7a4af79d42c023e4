import { housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { deleteOldDeliveriesOfAllWorkspaces } from './store.ts'

/** The tools keep theirs for three days at most, and repeat none that is older. */
const daysKept = 14

/** Forgets what hooks brought once nobody looks at it any more. */
export async function forgetHookDeliveries({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const oldest = new Date(clock.now().getTime() - daysKept * 86_400_000)
  await housekeeping(db, 'forget what hooks brought', (tx) => deleteOldDeliveriesOfAllWorkspaces(tx, oldest))
}
