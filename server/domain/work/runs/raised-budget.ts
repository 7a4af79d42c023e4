import { microsPerCent } from '@signalbox/contract/money.ts'

/** Double the budget, and double again where that does not cover what is spent. */
export function raisedBudget(budgetCents: number, costMicros: number): number {
  let cents = Math.max(1, budgetCents) * 2
  while (cents * microsPerCent <= costMicros) cents *= 2
  return cents
}
