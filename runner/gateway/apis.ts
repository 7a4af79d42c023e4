/** The model APIs that the gateway knows. What is not named here cannot be called: it could cost what nobody counts. */
export type Api = 'anthropic' | 'openai' | 'google'

/** Where an API really is, and the key that opens it. */
interface Upstream {
  base: string
  key: string
}

export type Upstreams = Partial<Record<Api, Upstream>>

interface Known {
  /** Which of its calls an agent needs, as `METHOD /path`. Those that are `billed` answer with what they used. */
  calls: { method: 'GET' | 'POST'; path: RegExp; billed: boolean }[]
  keyHeader: (key: string) => Record<string, string>
  /** How it says no in its own words. */
  refusal: (message: string) => object
}

/** The path comes after the base, with the version in it. */
export const apis: Record<Api, Known> = {
  anthropic: {
    calls: [
      { method: 'POST', path: /^\/v1\/messages$/, billed: true },
      { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, billed: false },
      { method: 'GET', path: /^\/v1\/models(\/[\w.:-]+)?$/, billed: false },
    ],
    keyHeader: (key) => ({ 'x-api-key': key }),
    refusal: (message) => ({ type: 'error', error: { type: 'billing_error', message } }),
  },
  openai: {
    calls: [
      { method: 'POST', path: /^\/v1\/(chat\/completions|responses)$/, billed: true },
      { method: 'GET', path: /^\/v1\/models(\/[\w.:-]+)?$/, billed: false },
    ],
    keyHeader: (key) => ({ authorization: `Bearer ${key}` }),
    refusal: (message) => ({ error: { message, type: 'insufficient_quota', code: 'budget_reached' } }),
  },
  google: {
    calls: [
      {
        method: 'POST',
        path: /^\/v1(beta|alpha)?\/models\/[\w.-]+:(generateContent|streamGenerateContent)$/,
        billed: true,
      },
      { method: 'POST', path: /^\/v1(beta|alpha)?\/models\/[\w.-]+:countTokens$/, billed: false },
      { method: 'GET', path: /^\/v1(beta|alpha)?\/models(\/[\w.-]+)?$/, billed: false },
    ],
    keyHeader: (key) => ({ 'x-goog-api-key': key }),
    refusal: (message) => ({ error: { code: 402, message, status: 'RESOURCE_EXHAUSTED' } }),
  },
}

const addresses: Record<Api, { key: string; base: string; usual: string }> = {
  anthropic: { key: 'ANTHROPIC_API_KEY', base: 'ANTHROPIC_BASE_URL', usual: 'https://api.anthropic.com' },
  openai: { key: 'OPENAI_API_KEY', base: 'OPENAI_BASE_URL', usual: 'https://api.openai.com/v1' },
  google: {
    key: 'GEMINI_API_KEY',
    base: 'GOOGLE_GEMINI_BASE_URL',
    usual: 'https://generativelanguage.googleapis.com',
  },
}

/** The variable that holds the key of an API. */
export const keyOf = (api: Api): string => addresses[api].key

/** The keys that the runner was started with. An API without one is not reached. */
export function upstreamsFrom(environment: Readonly<Record<string, string | undefined>>): Upstreams {
  const found: Upstreams = {}
  for (const [api, { key, base, usual }] of Object.entries(addresses)) {
    if (!environment[key]) continue
    // Some write the version into the base address and some do not; the path has it.
    const address = (environment[base] || usual).replace(/\/+$/, '').replace(/\/v1$/, '')
    found[api as Api] = { base: address, key: environment[key] }
  }
  return found
}
