import { extractUsage, findProvider } from '@pydantic/genai-prices'
import type { Api } from './apis.ts'

/** What one call of a model used, as its answer says. Input is all of it, whatever of it came from a cache. */
export interface Bill {
  model: string
  input: number
  cacheRead: number
  cacheWrite: number
  output: number
}

/** More of an answer than this is passed on and no longer read. */
const mostBytes = 64_000_000

/** Reads an answer while it passes: the part that says what was used is at its end, or spread over a stream. */
export class BillReader {
  readonly #api: Api
  readonly #isStream: boolean
  readonly #decoder = new TextDecoder()
  #text = ''
  #bytes = 0
  #folded: Record<string, unknown> = {}

  constructor(api: Api, contentType: string) {
    this.#api = api
    this.#isStream = contentType.includes('text/event-stream')
  }

  get bytes(): number {
    return this.#bytes
  }

  take(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    if (this.#bytes > mostBytes) return
    this.#text += this.#decoder.decode(chunk, { stream: true })
    if (!this.#isStream) return
    const lines = this.#text.split('\n')
    this.#text = lines.pop()!
    for (const line of lines) this.#line(line)
  }

  /** Null: the answer does not say. */
  read(): Bill | null {
    if (this.#isStream) this.#line(this.#text)
    else this.#fold(parsed(this.#text))
    const provider = findProvider({ providerId: this.#api })
    if (!provider || Object.keys(this.#folded).length === 0) return null
    try {
      const { model, usage } = extractUsage(provider, this.#folded, flavour(this.#api, this.#folded))
      return {
        model: model ?? 'unknown',
        input: usage.input_tokens ?? 0,
        cacheRead: usage.cache_read_tokens ?? 0,
        cacheWrite: usage.cache_write_tokens ?? 0,
        output: usage.output_tokens ?? 0,
      }
    } catch {
      return null
    }
  }

  #line(line: string): void {
    if (line.startsWith('data:')) this.#fold(parsed(line.slice(5)))
  }

  #fold(part: unknown): void {
    if (Array.isArray(part)) {
      // Google answers a stream that was not asked for as events with one long list.
      for (const each of part) this.#fold(each)
      return
    }
    if (typeof part !== 'object' || part === null) return
    // Anthropic opens with a message and adds to its usage; OpenAI ends with the whole response.
    const { message, response, usage, model, modelVersion, usageMetadata } = part as Record<string, never>
    if (message) this.#fold(message)
    if (response) this.#fold(response)
    if (model) this.#folded.model = model
    if (modelVersion) this.#folded.modelVersion = modelVersion
    if (usageMetadata) this.#folded.usageMetadata = usageMetadata
    if (usage) this.#folded.usage = { ...(this.#folded.usage as object), ...(usage as object) }
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const flavour = (api: Api, { usage }: Record<string, unknown>): string =>
  api !== 'openai' ? 'default' : usage && 'prompt_tokens' in (usage as object) ? 'chat' : 'responses'
