import type { Time } from '../time.ts'

/** What one order may print; past it the rest is left out, and the log says so. */
export const logBytesMost = 50_000_000
const chunkLines = 5_000
const lingerSeconds = 0.3

/** Collects lines into chunks: a full one at once, others a moment later. */
export class LogLines {
  readonly #limits: { chunkBytes: number; lineBytes: number }
  readonly #time: Time
  readonly #put: (lines: string[]) => void
  #lines: string[] = []
  #bytes = 0
  #total = 0
  #timer: NodeJS.Timeout | null = null
  #isEnded = false

  constructor(limits: { chunkBytes: number; lineBytes: number }, time: Time, put: (lines: string[]) => void) {
    this.#limits = limits
    this.#time = time
    this.#put = put
  }

  print(text: string): void {
    for (const line of text.split(/\r?\n|\r/)) this.#add(line)
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#lines.length === 0) return
    const lines = this.#lines
    this.#lines = []
    this.#bytes = 0
    this.#put(lines)
  }

  /** What work that was let go still prints has nowhere to go: the order's files may be closed by then. */
  end(): void {
    this.flush()
    this.#isEnded = true
  }

  #add(line: string): void {
    if (this.#isEnded || this.#total > logBytesMost) return
    const cut = shortened(line, this.#limits.lineBytes)
    this.#total += Buffer.byteLength(cut)
    const isLast = this.#total > logBytesMost
    this.#push(
      isLast ? `(More than ${logBytesMost / 1_000_000} MB were printed. The rest is left out.)` : cut,
    )
    if (isLast) this.flush()
  }

  #push(line: string): void {
    // As it travels: quotes, a comma, and what JSON escapes.
    const bytes = Buffer.byteLength(JSON.stringify(line)) + 1
    const room = this.#limits.chunkBytes - 100
    if (this.#lines.length > 0 && (this.#bytes + bytes > room || this.#lines.length >= chunkLines))
      this.flush()
    this.#lines.push(line)
    this.#bytes += bytes
    this.#timer ??= setTimeout(() => this.flush(), this.#time.milliseconds(lingerSeconds))
  }
}

const more = ' … (cut)'

/** At most so many bytes, as JSON too; never half a letter. */
function shortened(line: string, bytes: number): string {
  const clean = line.replaceAll('\0', '')
  if (Buffer.byteLength(clean) <= bytes) return clean
  const room = bytes - Buffer.byteLength(more)
  return (
    Buffer.from(clean)
      .subarray(0, room)
      .toString()
      .replace(/\uFFFD+$/, '') + more
  )
}
