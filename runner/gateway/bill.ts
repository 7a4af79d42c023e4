import { extractUsage, findProvider, type Usage } from '@pydantic/genai-prices'
import type { Format } from './formats/format.ts'

/** What one call of a model used, as its answer says in the end. */
export interface Bill {
  /** Null: the answer does not say. */
  model: string | null
  /** Input is all of it, whatever of it came from a cache. */
  usage: Usage
}

/** Of a line of a stream, and of an answer that is no stream: what is longer is passed on, and not read. */
const mostRead = 4_000_000

const newline = 0x0a
const data = Buffer.from('data:')

/**
 * Reads an answer while it passes: the part that says what was used is at its end, or spread over a stream. Of a stream
 * only one line is held at a time.
 */
export class BillReader {
  readonly #format: Format
  readonly #isStream: boolean
  /** Of a line, as far as it has come. */
  #pieces: Buffer[] = []
  #bytes = 0
  #isTooLong = false
  #folded: Record<string, unknown> = {}
  #searches = 0
  /** The provider has said its last word about what was used. */
  #isFinal = false
  /** It has said something of what was used in the end, if it is allowed to end. */
  #isTold = false

  constructor(format: Format, contentType: string) {
    this.#format = format
    this.#isStream = contentType.includes('text/event-stream')
  }

  take(chunk: Buffer): void {
    let from = 0
    if (this.#isStream)
      for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
        this.#hold(chunk.subarray(from, at))
        this.#endLine()
        from = at + 1
      }
    this.#hold(chunk.subarray(from))
  }

  /** Null: it has not said, or not yet. `isWhole`: the answer ended and did not break off. */
  read(isWhole: boolean): Bill | null {
    if (isWhole) this.#endLine()
    if (!this.#isFinal && !(isWhole && this.#isTold)) return null
    const provider = findProvider({ providerId: this.#format.api })
    try {
      const { model, usage } = extractUsage(provider!, this.#folded, this.#flavour)
      const counts = Object.values(usage).filter((count) => count !== undefined)
      if (!counts.every((count) => Number.isSafeInteger(count) && count >= 0)) return null
      const searches = this.#searches > 0 ? { web_searches: this.#searches } : {}
      return { model, usage: { ...usage, ...searches } }
    } catch {
      return null
    }
  }

  get #flavour(): string {
    const { name } = this.#format
    return name === 'chat' || name === 'responses' ? name : 'default'
  }

  #hold(piece: Buffer): void {
    this.#bytes += piece.length
    if (this.#bytes > mostRead) this.#isTooLong = true
    if (this.#isTooLong) this.#pieces = []
    else if (piece.length > 0) this.#pieces.push(piece)
  }

  #endLine(): void {
    const line = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
    const isTooLong = this.#isTooLong
    this.#pieces = []
    this.#bytes = 0
    this.#isTooLong = false
    if (isTooLong) return
    if (!this.#isStream) this.#fold(parsed(line))
    else if (line.subarray(0, 5).equals(data)) this.#event(line)
  }

  /** Most lines of a stream are words of the answer, and none of these: they never become a text here. */
  #event(line: Buffer): void {
    if (line.includes('"usage') || line.includes('"message_stop"')) this.#fold(parsed(line.subarray(5)))
    else if (line.includes('[DONE]')) this.#isFinal ||= this.#isTold
  }

  #fold(part: unknown): void {
    if (Array.isArray(part)) {
      // Google answers a stream that was not asked for as events with one long list.
      for (const each of part) this.#fold(each)
      return
    }
    if (typeof part !== 'object' || part === null) return
    // Anthropic opens with a message and adds to its usage; OpenAI ends with the whole response.
    const { type, message, response, model, modelVersion } = part as Record<string, never>
    if (message) this.#fold(message)
    if (response) this.#fold(response)
    if (model) this.#folded.model = model
    if (modelVersion) this.#folded.modelVersion = modelVersion
    this.#foldUsage(part as Record<string, unknown>)
    if (type === 'message_stop') this.#isFinal = this.#isTold
  }

  #foldUsage(part: Record<string, unknown>): void {
    const { type, usage, usageMetadata, output, status, choices, delta } = part
    if (usageMetadata) {
      this.#folded.usageMetadata = usageMetadata
      // Google says with each part of a stream what was used so far, and why it ends with the last.
      if (!this.#isStream) this.#isTold = true
      if (isLast(part)) this.#isFinal = true
    }
    if (!usage) return
    const told = Object.entries(usage).filter(([, count]) => count !== null)
    this.#folded.usage = { ...(this.#folded.usage as object), ...Object.fromEntries(told) }
    // What Anthropic says at the beginning of a stream is not yet what the answer takes.
    if (!this.#isStream || this.#format.name !== 'messages' || type === 'message_delta') this.#isTold = true
    if (Array.isArray(output)) {
      this.#searches = output.filter((item) => item?.type === 'web_search_call').length
      if (status !== 'in_progress' && status !== 'queued') this.#isFinal = true
    }
    if (Array.isArray(choices) && choices.length === 0) this.#isFinal = true
    if (type === 'message_delta' && (delta as Record<string, unknown> | undefined)?.stop_reason)
      this.#isFinal = true
  }
}

const isLast = ({ candidates, promptFeedback }: Record<string, unknown>): boolean =>
  (Array.isArray(candidates) && candidates.some((each) => each?.finishReason)) ||
  Boolean((promptFeedback as { blockReason?: string } | undefined)?.blockReason)

const parsed = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}
