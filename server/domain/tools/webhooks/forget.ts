import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { deleteOldOfAllWorkspaces } from './store.ts'

const keptMs = 30 * 86_400_000
const atOnce = 5_000

/** Forgets messages and their attempts after thirty days, those that were never sent too. */
export async function forgetMessages({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> {
  const before = new Date(clock.now().getTime() - keptMs)
  while (
    (await housekeeping(db, 'forget old webhook messages', (tx) =>
      deleteOldOfAllWorkspaces(tx, before, atOnce),
    )) === atOnce
  );
}
