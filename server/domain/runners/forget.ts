import { housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import { removeUnseenOfAllWorkspaces } from './store.ts'

const unseenDays = 30

/** Runners that were not heard of for a month are off the list. */
export const forgetRunners = ({ db, clock }: Pick<Context, 'db' | 'clock'>): Promise<void> =>
  housekeeping(db, 'forget runners', (tx) =>
    removeUnseenOfAllWorkspaces(tx, new Date(clock.now().getTime() - unseenDays * 86_400_000)),
  )
