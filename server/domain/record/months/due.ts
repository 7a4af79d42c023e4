import type { Context } from '../../context.ts'
import { monthAfter } from '../audit/month.ts'
import { selectMonthsOfInstance } from './store.ts'

/** Months of the audit log that ended at least so many months ago and are still in the database, the oldest first. */
export async function dueMonths(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  keepMonths: number,
): Promise<string[]> {
  const months = await selectMonthsOfInstance(db)
  return months.filter((month) => monthAfter(month, 1 + keepMonths) <= clock.now())
}
