import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { type Outcome, writeOutcomesOfAllWorkspaces } from './store.ts'

export type { Outcome } from './store.ts'

/** Records the outcome of messages, of any endpoints, together. */
export const settleOutcomes = ({ db }: Pick<Context, 'db'>, outcomes: readonly Outcome[]): Promise<void> =>
  housekeeping(db, 'note what became of webhook messages', (tx) => writeOutcomesOfAllWorkspaces(tx, outcomes))
