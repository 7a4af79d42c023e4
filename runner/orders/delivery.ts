import type { RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Client } from '../protocol/client.ts'
import { isFinal, isGap, isOutdated, isUnacceptable, Refused } from '../protocol/failures.ts'
import type { Persist } from '../protocol/persist.ts'
import { isEnding, type OrderSpool } from '../spool/order-spool.ts'
import type { Time } from '../time.ts'

export interface DeliveryOptions {
  spool: OrderSpool
  client: Client
  persist: Persist
  time: Time
  /** Of the span that its reports belong under, where the run is traced. */
  traceparent?: () => string | null
  /** How many bytes of reports the server takes at once. */
  reportBytes: () => number
  /** The server wants no more of this order: asked to end politely, or its fence is outdated. */
  onStop: (how: 'cancel' | 'abort', reason: string) => void
}

const reportsAtOnce = 200
const partingMs = 3_000
type Report = { number: number; event: RunnerEvent }

/** Brings what an order has told to the server: in order, without gaps, for as long as it takes. */
export class Delivery {
  readonly #options: DeliveryOptions
  #wake = Promise.withResolvers<void>()
  #isLogRefused = false
  #isOutdated = false
  #atOnce = reportsAtOnce
  readonly #replaced = new Set<number>()

  constructor(options: DeliveryOptions) {
    this.#options = options
  }

  /** There is something new to send. */
  wake(): void {
    this.#wake.resolve()
  }

  /** Sends until `isOver` says that no more will come and all of it has arrived, or it is refused for good. */
  async run(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    const { promise: leaving, resolve: leave } = Promise.withResolvers<void>()
    const onAbort = () => leave()
    signal.addEventListener('abort', onAbort)
    try {
      await this.#run(isOver, signal, leaving)
    } finally {
      // The signal is the process's, and outlives every order.
      signal.removeEventListener('abort', onAbort)
    }
  }

  async #run(isOver: () => boolean, signal: AbortSignal, leaving: Promise<void>): Promise<void> {
    const { spool } = this.#options
    while (!signal.aborted) {
      this.#wake = Promise.withResolvers()
      try {
        if (await this.#sendSome(signal)) continue
      } catch (error) {
        if (signal.aborted) return
        if (isFinal(error)) return leaving
        if (!(error instanceof Refused)) throw error
        if (!this.#isOutdated) this.#options.onStop('abort', error.message)
        if (!isOutdated(error)) return
        // Nothing more of it is wanted but what it has spent, and that is not known before it has ended.
        this.#isOutdated = true
        this.#isLogRefused = true
      }
      if (isOver() && this.#hasArrived) return
      spool.flush()
      await Promise.race([this.#wake.promise, leaving])
    }
  }

  /** On the way out it tries once: spend should be known even if this runner is never started again. */
  async part(): Promise<void> {
    const { spool, client } = this.#options
    const over = AbortSignal.timeout(partingMs)
    try {
      for (;;) {
        const reports = this.#nextReports().filter(({ event }) => !isEnding(event))
        if (reports.length === 0) return
        const { next } = await client.reports(spool, { reports }, over)
        if (next <= reports[0]!.number) return
        spool.acknowledgeReports(next)
      }
    } catch {
      // It stays in the spool for the next start.
    }
  }

  get #hasArrived(): boolean {
    const { spool } = this.#options
    return spool.reportNext > spool.reported && (this.#isLogRefused || spool.logNext > spool.logged)
  }

  /** Reports first, since they move the run; but the one that ends the order only after the log. */
  async #sendSome(signal: AbortSignal): Promise<boolean> {
    const { spool } = this.#options
    const waiting = this.#nextReports()
    const isLogLeft = !this.#isLogRefused && spool.logNext <= spool.logged
    const sendable = isLogLeft ? waiting.filter(({ event }) => !isEnding(event)) : waiting
    if (sendable.length > 0) await this.#sendReports(sendable, signal)
    else if (isLogLeft) await this.#sendLog(signal)
    else return false
    return true
  }

  #nextReports(): Report[] {
    const { spool, reportBytes } = this.#options
    const reports: Report[] = []
    let bytes = 0
    for (let number = spool.reportNext; number <= spool.reported; number += 1) {
      const event = spool.eventAt(number)
      bytes += Buffer.byteLength(JSON.stringify(event)) + 30
      if (reports.length > 0 && (bytes > reportBytes() || reports.length === this.#atOnce)) break
      reports.push({ number, event })
    }
    return reports
  }

  async #sendReports(reports: Report[], signal: AbortSignal): Promise<void> {
    const { spool, client, persist, traceparent } = this.#options
    const { number } = reports[0]!
    const order = { run: spool.run, fence: spool.fence, traceparent: traceparent?.() ?? null }
    try {
      const received = await persist((over) => client.reports(order, { reports }, over), signal)
      spool.acknowledgeReports(received.next)
      this.#obey(received.verdict)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (isGap(error)) spool.acknowledgeReports(error.next!)
      else if (isUnacceptable(error)) this.#refuse(reports, error)
      // It takes what was spent before it says so; what it does not take the second time it never will.
      else if (this.#isOutdated && isOutdated(error)) spool.acknowledgeReports(reports.at(-1)!.number + 1)
      else {
        // Over, but what it says to have received has arrived.
        if (error.next !== null) spool.acknowledgeReports(error.next)
        throw error
      }
    }
    if (spool.reportNext === number) await this.#pause(signal)
  }

  /** One of them is not understood. Alone it is seen which; that one is replaced, and nothing follows it. */
  #refuse(reports: Report[], error: Refused): void {
    const { spool, onStop } = this.#options
    const { number, event } = reports[0]!
    if (this.#replaced.has(number)) throw error
    if (reports.length > 1) {
      this.#atOnce = 1
      return
    }
    const sentence = `The server refused the report ${event.type}: ${error.message}`
    // First the work ends: once its last report is there, an order is not stopped any more.
    onStop('cancel', sentence)
    spool.replace(number, { type: 'failed', failureClass: 'persistent', error: sentence.slice(0, 2_000) })
    this.#replaced.add(number)
  }

  async #sendLog(signal: AbortSignal): Promise<void> {
    const { spool, client, persist } = this.#options
    const number = spool.logNext
    try {
      const received = await persist((over) => client.log(spool, spool.chunkAt(number), over), signal)
      spool.acknowledgeLog(received.next)
      this.#obey(received.verdict)
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (isGap(error)) spool.acknowledgeLog(error.next!)
      // Lines are not worth a run.
      else if (isUnacceptable(error)) this.#isLogRefused = true
      else throw error
    }
    if (spool.logNext === number) await this.#pause(signal)
  }

  /** An answer that asks for the same again is not given at once, forever. */
  #pause(signal: AbortSignal): Promise<void> {
    return this.#options.time.wait(1, signal)
  }

  #obey(verdict: 'go_on' | 'stop'): void {
    if (verdict === 'stop') this.#options.onStop('cancel', 'The server no longer wants this work.')
  }
}
