import type { Logger } from '../../infra/log.ts'

/** A request as its log line reports it. */
interface Line {
  requestId: string
  channel: string
  verb: string
  method: string
  status: number
  ms: number
}

const intervalMs = 1_000
/** So many of an interval have a line each. */
const mostSingly = 10

/**
 * Log lines of requests that come in storms and are all answered alike: the first of a second have their own, the others
 * one together that says how many they were and how long they took. Only for what leaves another trace, as a delivery
 * does: its id is in the answer, on the page of its source and in the audit log.
 */
export class CountedLines {
  readonly #log: Logger
  #seen = 0
  readonly #together = new Map<string, { line: Line; count: number; sum: number; slowest: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(log: Logger) {
    this.#log = log
  }

  add(line: Line): void {
    this.#timer ??= setTimeout(() => this.flush(), intervalMs).unref()
    this.#seen += 1
    if (this.#seen <= mostSingly) {
      this.#log.info(line)
      return
    }
    const name = `${line.verb} ${line.method} ${line.status}`
    const known = this.#together.get(name)
    if (!known) {
      this.#together.set(name, { line, count: 1, sum: line.ms, slowest: line.ms })
      return
    }
    known.count += 1
    known.sum += line.ms
    known.slowest = Math.max(known.slowest, line.ms)
  }

  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#seen = 0
    for (const { line, count, sum, slowest } of this.#together.values()) {
      const { channel, verb, method, status } = line
      const meanMs = Math.round((sum / count) * 10) / 10
      this.#log.info({ channel, verb, method, status, count, meanMs, slowestMs: slowest }, 'more like these')
    }
    this.#together.clear()
  }
}
