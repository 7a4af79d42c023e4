import { setTimeout as sleep } from 'node:timers/promises'
import type { LogChunk, OrderRef, Verdict, WorkEvent, WorkOrder, WorkPort } from '../../domain/ports/work.ts'
import { LogChunks } from './log-chunks.ts'

/** One line of a script: how long it takes, and what it comes to. */
export interface Beat {
  seconds: number
  event: WorkEvent
  /** What is printed, evenly over its time. */
  log?: string[]
}

export interface ScriptedOptions {
  /** What happens in an order: the outcome of its stage, written beforehand. */
  script: (order: WorkOrder) => Beat[]
  report: (order: OrderRef, report: { number: number; event: WorkEvent }) => Promise<Verdict>
  /** Takes what is printed. Without it nothing is. */
  log?: (order: OrderRef, chunk: LogChunk) => Promise<Verdict>
  onError: (error: Error) => void
  /** How many seconds of the script pass in a second; more than 1 plays faster. */
  pace?: number
  /** Under which names it works; a race takes two. */
  executors?: readonly WorkOrder['executor'][]
}

/** A sign of life between two beats, well inside the lease. */
const heartbeatSeconds = 15
const reportTries = 5

/**
 * Work without an agent: plays outcomes that were written beforehand, in this process, under the executor name
 * `scripted` where no other is said. The demo and the tests run on it, through the same orders and reports as a real
 * runner.
 */
export class ScriptedWork implements WorkPort {
  readonly name = 'scripted'
  readonly #options: ScriptedOptions
  readonly #stopped = new AbortController()
  readonly #playing = new Map<string, Promise<void>>()

  constructor(options: ScriptedOptions) {
    this.#options = options
  }

  serves(executor: WorkOrder['executor']): boolean {
    return (this.#options.executors ?? ['scripted']).includes(executor)
  }

  async hand(order: WorkOrder): Promise<void> {
    const name = `${order.runId}/${order.fence}`
    if (this.#playing.has(name) || this.#stopped.signal.aborted) return
    const playing = this.#play(order)
      .catch((error) => {
        if (!this.#stopped.signal.aborted) this.#options.onError(error)
      })
      .finally(() => this.#playing.delete(name))
    this.#playing.set(name, playing)
  }

  async stop(): Promise<void> {
    this.#stopped.abort()
    await Promise.all(this.#playing.values())
  }

  async #play(order: WorkOrder): Promise<void> {
    const printed = this.#printerOf(order)
    try {
      await this.#playTo(order, printed)
    } finally {
      // Stopping waits for this, so that nothing is sent to a server that has closed.
      await printed?.flush()
    }
  }

  async #playTo(order: WorkOrder, printed: LogChunks | null): Promise<void> {
    let number = 0
    const tell = async (event: WorkEvent) => {
      number += 1
      return this.#report(order, { number, event })
    }
    for (const { seconds, event, log = [] } of this.#options.script(order)) {
      let silence = 0
      const lines = printed ? log : []
      const pauses = Math.max(1, lines.length)
      for (let pause = 0; pause < pauses; pause += 1) {
        for (let left = seconds / pauses; left > 0; ) {
          const passing = Math.min(left, heartbeatSeconds - silence)
          await this.#pass(passing)
          left -= passing
          silence += passing
          if (left <= 0 && pause === pauses - 1) break
          if (silence < heartbeatSeconds) continue
          silence = 0
          const message = `${order.stage} (scripted)`
          if ((await tell({ type: 'progress', message })) === 'stop') return
        }
        if (lines.length > 0) printed!.print(lines[pause]!)
      }
      // An event can end the order; what was printed before it belongs to the order still.
      await printed?.flush()
      if ((await tell(event)) === 'stop') return
    }
  }

  #printerOf(order: WorkOrder): LogChunks | null {
    const { log, onError } = this.#options
    const { workspaceId, runId, fence } = order
    return log ? new LogChunks({ send: (chunk) => log({ workspaceId, runId, fence }, chunk), onError }) : null
  }

  async #pass(seconds: number): Promise<void> {
    await sleep((seconds * 1000) / (this.#options.pace ?? 1), undefined, { signal: this.#stopped.signal })
  }

  /** The database may be away for a moment; the number makes saying it again harmless. */
  async #report(order: OrderRef, report: { number: number; event: WorkEvent }): Promise<Verdict> {
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#options.report(order, report)
      } catch (error) {
        if (tried >= reportTries || (error as { code?: string }).code === 'conflict') throw error
        await sleep(200 * 2 ** tried, undefined, { signal: this.#stopped.signal })
      }
    }
  }
}
