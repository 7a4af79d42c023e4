import type { Ledger, Usage } from '../gateway/entry.ts'

/** Notes what calls have cost, once that is known. */
export const ledgerInto =
  (booked: Usage[]): Ledger =>
  () =>
  (cost) => {
    if (cost) booked.push(cost)
  }
