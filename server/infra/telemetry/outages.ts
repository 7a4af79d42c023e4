import type { Logger } from '../log.ts'

/** What the exporters of all signals have in common. */
interface Exporter<Items> {
  export(items: Items, done: (result: { code: number; error?: Error }) => void): void
}

const succeeded = 0

/** Says once that a collector takes nothing, and once that it does again, however many batches are lost in between. */
export class Outages {
  readonly #log: Logger
  readonly #collector: string
  readonly #failing = new Set<object>()
  #isSaid = false
  #isClosed = false

  constructor(log: Logger, collector: string) {
    this.#log = log
    this.#collector = collector
  }

  watched<Items, E extends Exporter<Items>>(exporter: E & Exporter<Items>): E {
    const send = exporter.export.bind(exporter)
    exporter.export = (items, done) =>
      send(items, (result) => {
        this.#note(exporter, result)
        done(result)
      })
    return exporter
  }

  /** What fails from here on is not told: the server is stopping. */
  close(): void {
    this.#isClosed = true
  }

  #note(exporter: object, { code, error }: { code: number; error?: Error }): void {
    if (this.#isClosed) return
    if (code === succeeded) {
      this.#failing.delete(exporter)
      if (!this.#isSaid || this.#failing.size > 0) return
      this.#isSaid = false
      this.#log.info({ collector: this.#collector }, 'the collector accepts telemetry again')
      return
    }
    this.#failing.add(exporter)
    if (this.#isSaid) return
    this.#isSaid = true
    this.#log.warn(
      { err: error, collector: this.#collector },
      'the collector does not accept telemetry; it is dropped, and nothing else is affected',
    )
  }
}
