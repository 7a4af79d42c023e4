import type { Clock } from '../../../infra/clock.ts'
import type { Db } from '../../../infra/db/db.ts'
import { addMonths } from '../../record/audit/create-partitions.ts'
import { makeMonthsOfAllWorkspaces } from './store.ts'

const daysAhead = 92

/** Deliveries are kept in one partition a month, as the audit log is; they are made well before one is needed. */
export async function createDeliveryPartitions(db: Db, clock: Clock): Promise<void> {
  const until = new Date(clock.now().getTime() + daysAhead * 86_400_000).toISOString().slice(0, 10)
  await addMonths(db, 'prepare the months of deliveries', (tx) => makeMonthsOfAllWorkspaces(tx, until))
}
