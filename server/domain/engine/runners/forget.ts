import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { removeUnseenOfAllWorkspaces } from './store.ts'

const unseenDays = 30

/** Takes runners off the list that were not seen for a month. */
export const forgetRunners = ({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> =>
  housekeeping(db, 'forget runners', (tx) =>
    removeUnseenOfAllWorkspaces(tx, new Date(clock.now().getTime() - unseenDays * 86_400_000)),
  )
