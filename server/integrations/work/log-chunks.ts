import type { LogChunk, Verdict } from '../../domain/ports/work.ts'

/** The most that is sent in one chunk, and the longest that a line waits for others. */
const mostBytes = 60_000
const mostMs = 200
const longestLine = 8_192

/**
 * Gathers what a worker prints into chunks. A log is told as well as it can be: one that cannot be sent is left out,
 * and the work goes on.
 */
export class LogChunks {
  readonly #send: (chunk: LogChunk) => Promise<Verdict>
  readonly #onError: (error: Error) => void
  #lines: string[] = []
  #bytes = 0
  #number = 0
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(options: { send: (chunk: LogChunk) => Promise<Verdict>; onError: (error: Error) => void }) {
    this.#send = options.send
    this.#onError = options.onError
  }

  print(line: string): void {
    // What is longer is cut anyway, and a chunk has room for it.
    const text = line.length > longestLine * 2 ? line.slice(0, longestLine * 2) : line
    const bytes = Buffer.byteLength(text) + 1
    if (this.#bytes + bytes > mostBytes) this.#cut()
    this.#lines.push(text)
    this.#bytes += bytes
    this.#timer ??= setTimeout(() => this.#cut(), mostMs)
  }

  /** Returns when everything printed so far has been sent. */
  async flush(): Promise<void> {
    this.#cut()
    await this.#sending
  }

  #cut(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lines.length === 0) return
    this.#number += 1
    const chunk = { number: this.#number, lines: this.#lines }
    this.#lines = []
    this.#bytes = 0
    // One after the other: lines stay in their order.
    this.#sending = this.#sending.then(() => this.#tell(chunk))
  }

  async #tell(chunk: LogChunk): Promise<void> {
    try {
      await this.#send(chunk)
    } catch (error) {
      this.#onError(error as Error)
    }
  }
}
