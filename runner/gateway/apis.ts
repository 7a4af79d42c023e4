import { trimEnd } from '@signalbox/contract/trim-end.ts'
import { messages } from './formats/anthropic.ts'
import type { Api, Format } from './formats/format.ts'
import { content, counting } from './formats/google.ts'
import { chat, responses } from './formats/openai.ts'

export type { Api }

/** Where an API really is, and the key that opens it. */
interface Upstream {
  base: string
  key: string
}

export type Upstreams = Partial<Record<Api, Upstream>>

interface Call {
  method: 'GET' | 'POST'
  path: RegExp
  /** How it is asked; null: nothing is asked, and nothing has a body. */
  format: Format | null
  /** Those that are billed answer with what they used. */
  billed: boolean
}

interface Known {
  /** Which of its calls an agent needs. */
  calls: Call[]
  keyHeader: (key: string) => Record<string, string>
  /** How it says no in its own words. */
  refusal: (status: number, message: string, field: string | null) => object
  /** Where its maker offers it. */
  usual: string
}

const anthropicTypes: Record<number, string> = {
  400: 'invalid_request_error',
  402: 'billing_error',
  413: 'request_too_large',
}
const googleStates: Record<number, string> = { 400: 'INVALID_ARGUMENT', 402: 'RESOURCE_EXHAUSTED' }

/** The path comes after the base, with the version in it. */
export const apis: Record<Api, Known> = {
  anthropic: {
    calls: [
      { method: 'POST', path: /^\/v1\/messages$/, format: messages, billed: true },
      { method: 'POST', path: /^\/v1\/messages\/count_tokens$/, format: messages, billed: false },
      { method: 'GET', path: /^\/v1\/models(\/[\w.:-]+)?$/, format: null, billed: false },
    ],
    keyHeader: (key) => ({ 'x-api-key': key }),
    refusal: (status, message) => ({
      type: 'error',
      error: { type: anthropicTypes[status] ?? 'api_error', message },
    }),
    usual: 'https://api.anthropic.com',
  },
  openai: {
    calls: [
      { method: 'POST', path: /^\/v1\/chat\/completions$/, format: chat, billed: true },
      { method: 'POST', path: /^\/v1\/responses$/, format: responses, billed: true },
      { method: 'GET', path: /^\/v1\/models(\/[\w.:-]+)?$/, format: null, billed: false },
    ],
    keyHeader: (key) => ({ authorization: `Bearer ${key}` }),
    refusal: (status, message, field) => ({
      error:
        status === 402
          ? { message, type: 'insufficient_quota', code: 'budget_reached' }
          : { message, type: 'invalid_request_error', param: field, code: 'not_allowed' },
    }),
    usual: 'https://api.openai.com',
  },
  google: {
    calls: [
      {
        method: 'POST',
        path: /^\/v1(?:beta|alpha)?\/models\/([\w.-]+):(?:generateContent|streamGenerateContent)$/,
        format: content,
        billed: true,
      },
      {
        method: 'POST',
        path: /^\/v1(?:beta|alpha)?\/models\/([\w.-]+):countTokens$/,
        format: counting,
        billed: false,
      },
      { method: 'GET', path: /^\/v1(?:beta|alpha)?\/models(?:\/[\w.-]+)?$/, format: null, billed: false },
    ],
    keyHeader: (key) => ({ 'x-goog-api-key': key }),
    refusal: (status, message) => ({
      error: { code: status, message, status: googleStates[status] ?? 'FAILED_PRECONDITION' },
    }),
    usual: 'https://generativelanguage.googleapis.com',
  },
}

const addresses: Record<Api, { key: string; base: string }> = {
  anthropic: { key: 'ANTHROPIC_API_KEY', base: 'ANTHROPIC_BASE_URL' },
  openai: { key: 'OPENAI_API_KEY', base: 'OPENAI_BASE_URL' },
  google: { key: 'GEMINI_API_KEY', base: 'GOOGLE_GEMINI_BASE_URL' },
}

/** The variables that hold keys. */
export const keyVariables: readonly string[] = Object.values(addresses).map(({ key }) => key)

/** The variable that holds the key of an API. */
export const keyOf = (api: Api): string => addresses[api].key

/** The keys that the runner was started with. An API without one is not reached. */
export function upstreamsFrom(environment: Readonly<Record<string, string | undefined>>): Upstreams {
  const found: Upstreams = {}
  for (const [api, { key, base }] of Object.entries(addresses)) {
    if (!environment[key]) continue
    // Some write the version into the base address and some do not; the path has it.
    const address = trimEnd(environment[base] || apis[api as Api].usual, '/').replace(/\/v1$/, '')
    found[api as Api] = { base: address, key: environment[key] }
  }
  return found
}
