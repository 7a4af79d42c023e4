import { calcPrice, findProvider, type ModelInfo, type Provider, type Usage } from '@pydantic/genai-prices'
import runner from '../package.json' with { type: 'json' }
import type { Api } from './apis.ts'

export interface Price {
  usd: number
  /** Which table it is from; null: the model is in none, and the dearest one of its provider was taken. */
  table: string | null
}

/** Where the prices of a call come from. One moment for a whole call: a price may change while it lasts. */
export interface Tariff {
  api: Api
  /** As it was asked for, and as the answer calls it: the first that a table knows counts. */
  models: readonly string[]
  own?: readonly Provider[] | undefined
  at?: Date | undefined
}

const bundled = `genai-prices ${runner.dependencies['@pydantic/genai-prices']}`

/** Of a search that the provider makes itself, where a table does not say. */
const searchUsd = 0.01

/**
 * What a call cost. The operator's own table goes first: an array of providers as genai-prices writes them, for models
 * that are new, private or differently priced. An unknown model is never free. Null: the usage makes no sense.
 */
export function priceOf({ api, models, own = [], at }: Tariff, usage: Usage): Price | null {
  try {
    for (const model of models) {
      for (const provider of own) {
        const usd = provider.id === api ? listed(usage, model, { provider }, at) : null
        if (usd !== null) return { usd, table: 'MODEL_PRICES' }
      }
      const usd = listed(usage, model, { providerId: api }, at)
      if (usd !== null) return { usd, table: bundled }
    }
    return { usd: dearest(api, usage, at), table: null }
  } catch {
    return null
  }
}

function listed(
  usage: Usage,
  model: string,
  of: { provider: Provider } | { providerId: string },
  at: Date | undefined,
): number | null {
  const price = calcPrice(usage, model, { ...of, ...(at ? { timestamp: at } : {}) })
  // A table may know a name without knowing what it costs.
  if (!price || !('input_mtok' in price.model_price) || !('output_mtok' in price.model_price)) return null
  const fee = 'web_searches_kcount' in price.model_price ? 0 : (usage.web_searches ?? 0) * searchUsd
  return price.total_price + fee
}

function dearest(api: Api, usage: Usage, at: Date | undefined): number {
  const models: ModelInfo[] = findProvider({ providerId: api })?.models ?? []
  return Math.max(
    0,
    ...models.filter(isCurrent).map(({ id }) => listed(usage, id, { providerId: api }, at) ?? 0),
  )
}

/** Some of a provider's list are for sound or pictures, or have been replaced. */
const isCurrent = ({ id, deprecated }: ModelInfo) => !deprecated && !isSpecial(id)

const special =
  /(^|[-_./])(audio|realtime|image|imagen|tts|transcribe|whisper|embedding|search|deep-research|computer-use|moderation|live|omni|veo|lyria|sora|dall-e)($|[-_./\d])/

/** Models that answer in sound or pictures, or search on their own: their price is not in tokens of text. */
export const isSpecial = (model: string) => special.test(model)

/** Whether the operator's own table has it: they know what they do. */
export const isOwn = ({ api, models, own = [] }: Tariff): boolean =>
  own.some(
    (provider) => provider.id === api && models.some((model) => calcPrice({}, model, { provider }) !== null),
  )

/** What a call may use at most, and how its input may be billed. */
export interface Most {
  input: number
  output: number
  /** What a provider keeps for the next call costs more than what it only reads: for minutes, or for an hour. */
  cacheWrites: 'none' | 'short' | 'long'
  /** Whether sound or film is in it. */
  hasSound: boolean
  searches: number
}

/** The most that a call can cost, by the dearest way in which its input can be billed. */
export function mostPriceOf(tariff: Tariff, most: Most): Price {
  const { input, output, cacheWrites, hasSound, searches } = most
  const usage = {
    input_tokens: input,
    output_tokens: output,
    ...(searches ? { web_searches: searches } : {}),
  }
  const ways: Usage[] = [
    usage,
    ...(cacheWrites === 'none' ? [] : [{ ...usage, cache_write_tokens: input }]),
    ...(cacheWrites === 'long'
      ? [{ ...usage, cache_write_tokens: input, cache_write_1h_tokens: input }]
      : []),
    ...(hasSound ? [{ ...usage, input_audio_tokens: input }] : []),
    ...(hasSound ? [{ ...usage, input_video_tokens: input }] : []),
  ]
  return ways
    .map((way) => priceOf(tariff, way)!)
    .reduce((dearest, price) => (price.usd > dearest.usd ? price : dearest))
}

/** How much a model can read at once, where no table says. */
const unknownWindow = 2_000_000
/** Tables round, and some are wrong about small ones. */
const leastWindow = 220_000

/** What a model can read at once, in tokens: whatever a call brings with it, more is not billed. */
export function windowOf({ api, models, own = [] }: Tariff): number {
  for (const model of models) {
    const infos = [
      ...own.filter(({ id }) => id === api).map((provider) => calcPrice({}, model, { provider })),
      calcPrice({}, model, { providerId: api }),
    ]
    const window = infos.find((info) => info?.model.context_window)?.model.context_window
    if (window) return Math.max(leastWindow, Math.ceil((window * 11) / 10))
  }
  return unknownWindow
}

/** The longest answer that a model gives in one call, where a request does not say. More is refused by its provider. */
export function longestAnswerOf(api: Api, model: string): number {
  return answers[api].find(([pattern]) => pattern.test(model))![1]
}

/** Longer ones are seldom of use, and providers hold what could come against a limit of their own. */
const answers: Record<Api, [RegExp, number][]> = {
  anthropic: [
    [/claude-3-(opus|sonnet|haiku)|claude-[v12]/, 4_096],
    [/claude-3-5/, 8_192],
    [/./, 32_000],
  ],
  openai: [
    [/^gpt-(3\.5|4-turbo|4-\d{4}|4$)|^gpt-4o-2024-05-13/, 4_096],
    [/^gpt-4o|chat/, 16_384],
    [/^gpt-4\.1/, 32_768],
    [/^o1-preview/, 32_768],
    [/^(gpt-[5-9]|o\d|codex)/, 64_000],
    [/./, 16_384],
  ],
  google: [
    [/^gemini-(2\.5|[3-9])/, 64_000],
    [/./, 8_192],
  ],
}
