import type { Clock } from '../../../infra/clock.ts'
import { type Db, write } from '../../../infra/db/db.ts'
import { statement } from '../../../infra/db/statement.ts'
import { housekeeping } from './change.ts'
import type * as Sql from './create-partitions.types.ts'

export const daysAhead = 92

const prepared = statement<Sql.Prepared>('select prepare_audit_months(:until::date)')

/** Whether what was written has a time for which no month was made: the clock went ahead by more than was prepared. */
export const lacksMonth = (error: unknown): boolean =>
  (error as { routine?: string }).routine === 'ExecFindPartition'

/** The log is kept in one partition a month; they are made well before an entry needs one. */
export async function createPartitions(db: Db, clock: Clock): Promise<void> {
  const until = new Date(clock.now().getTime() + daysAhead * 86_400_000).toISOString().slice(0, 10)
  await housekeeping(db, 'prepare the months of the audit log', (tx) => write(tx, prepared, { until }))
}
