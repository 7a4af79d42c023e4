import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { money } from '../browser/formats.ts'

type Bill = Pick<RunPage['models'][number], 'source' | 'cents'>

/** How much of a run’s cost is only what the coding agent says; null: nothing. */
export function reportedSentence(models: readonly Bill[]): string | null {
  const reported = models.filter(({ source }) => source === 'agent')
  if (reported.length === 0) return null
  const cents = Math.ceil(reported.reduce((sum, bill) => sum + bill.cents, 0))
  const isAll = models.every(({ source }) => source === 'agent')
  const amount = isAll ? `${money(cents)}, the whole cost` : `${money(cents)} of the cost`
  return `Not metered: ${amount}, is the coding agent’s own number at list prices. The agent signs in to its model without the gateway, so the budget is checked when it reports: after each turn at the latest.`
}

/** A cost in signed evidence, marked where it is only what the agent says. */
export function signedCost({
  currency,
  amount,
  reported = 0,
}: {
  currency: string
  amount: number
  reported?: number
}): string {
  const written = (value: number) => `${value.toFixed(2)} ${currency}`
  if (reported === 0) return written(amount)
  return reported >= amount
    ? `${written(amount)}, reported by the agent`
    : `${written(amount)}, of it ${written(reported)} reported by the agent`
}
