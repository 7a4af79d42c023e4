import { money } from '@signalbox/contract/money.ts'
import { raisedBudget } from '../../work/runs/raised-budget.ts'
import type { Action } from './option-action.ts'
import { runStep } from './run-step.ts'

/** The run's budget is doubled, more than once where that is not enough; the run continues. */
export const raiseBudget: Action = (ctx, tx, answered) => {
  const { budgetCents, costMicros } = answered.run?.state ?? { budgetCents: 0, costMicros: 0 }
  const toCents = raisedBudget(budgetCents, costMicros)
  return runStep(
    ctx,
    tx,
    answered,
    { type: 'budget_raised', toCents },
    {
      type: 'budget_raised',
      status: 'done',
      message: `The budget is now ${money(toCents)}. The run continues.`,
    },
  )
}
