import type { Usage as Tokens } from '@pydantic/genai-prices'
import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Ask } from './ask.ts'
import type { Bill } from './bill.ts'
import { type Most, mostPriceOf, type Price, priceOf } from './prices.ts'

export type Usage = Extract<RunnerEvent, { type: 'usage' }>

/**
 * Writes down what a call can cost at most before it is made. What comes back replaces that by what it did cost; null:
 * nothing. Throws when it cannot be written: then the call is not made.
 */
export type Ledger = (most: Usage) => (cost: Usage | null) => void

/** What a call can cost at most, and what is booked when its usage never becomes known. */
export function mostEntry(ask: Ask, most: Most): Usage {
  const price = mostPriceOf(ask.tariff, most)
  const table = `${price.table ?? 'dearest of its provider'} (upper bound)`
  const tokens = { input_tokens: most.input, output_tokens: most.output }
  return entry(ask, ask.model, tokens, { ...price, table })
}

/** What a call has cost by its provider's own words; null: they make no sense. */
export function billedEntry(ask: Ask, { model, usage }: Bill): Usage | null {
  const { models } = ask.tariff
  const price = priceOf({ ...ask.tariff, models: model ? [model, ...models] : models }, usage)
  return price && entry(ask, model ?? ask.model, usage, price)
}

const entry = ({ tariff }: Ask, model: string, tokens: Tokens, { usd, table }: Price): Usage => ({
  type: 'usage',
  amount: usd,
  currency: 'USD',
  source: 'gateway',
  provider: tariff.api,
  priceTable: table,
  model: model.slice(0, 200),
  input: tokens.input_tokens ?? 0,
  cacheRead: tokens.cache_read_tokens ?? 0,
  cacheWrite: tokens.cache_write_tokens ?? 0,
  output: tokens.output_tokens ?? 0,
})
