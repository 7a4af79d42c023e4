import { calcPrice, findProvider, type ModelInfo, type Provider } from '@pydantic/genai-prices'
import runner from '../package.json' with { type: 'json' }
import type { Api } from './apis.ts'
import type { Bill } from './bill.ts'

export interface Price {
  usd: number
  /** Which table it is from; null: the model is in none, and the dearest one of its provider was taken. */
  table: string | null
}

const bundled = `genai-prices ${runner.dependencies['@pydantic/genai-prices']}`

/**
 * What a call cost. The operator's own table goes first: an array of providers as genai-prices writes them, for models
 * that are new, private or differently priced. A model that nobody knows is never free.
 */
export function priceOf(api: Api, bill: Bill, own: readonly Provider[] = []): Price {
  const usage = {
    input_tokens: bill.input,
    cache_read_tokens: bill.cacheRead,
    cache_write_tokens: bill.cacheWrite,
    output_tokens: bill.output,
  }
  for (const provider of own) {
    const price = provider.id === api ? calcPrice(usage, bill.model, { provider }) : null
    if (price) return { usd: price.total_price, table: 'MODEL_PRICES' }
  }
  const known = calcPrice(usage, bill.model, { providerId: api })
  if (known) return { usd: known.total_price, table: bundled }
  return { usd: dearest(api, usage), table: null }
}

function dearest(api: Api, usage: Record<string, number>): number {
  const models: ModelInfo[] = findProvider({ providerId: api })?.models ?? []
  const prices = models.filter(isCurrent).map(({ id }) => {
    try {
      return calcPrice(usage, id, { providerId: api })?.total_price ?? 0
    } catch {
      return 0
    }
  })
  return Math.max(0, ...prices)
}

/** Some of a provider's list are for sound or pictures, or have been replaced. */
const isCurrent = ({ id, deprecated }: ModelInfo) =>
  !deprecated && !/audio|realtime|image|tts|embedding|search|deep-research/.test(id)
