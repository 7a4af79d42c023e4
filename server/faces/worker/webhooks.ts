import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../../domain/context.ts'
import type { Calling } from '../../domain/tools/webhooks/call.ts'
import { deliver } from '../../domain/tools/webhooks/deliver.ts'
import {
  type DueMessage,
  nextMessages,
  type Queue,
  releaseQueues,
  takeQueues,
} from '../../domain/tools/webhooks/queues.ts'
import { type Outcome, settleOutcomes } from '../../domain/tools/webhooks/settle.ts'
import { turnOff } from '../../domain/tools/webhooks/turn-off.ts'
import type { Logger } from '../../infra/log.ts'

export interface WebhookServices extends Pick<Context, 'db' | 'clock' | 'queue'> {
  calling: Calling
  /** This process among the others. */
  node: string
  log: Logger
}

export interface Webhooks {
  /** To be called a few times a second. */
  look(): Promise<void>
  stop(): Promise<void>
}

/** Calls to one endpoint at the same time. */
const atOnce = 3
/** Messages that are read together. */
const batch = 30
/** For so long what was read is taken for true; an endpoint that was paused since is asked about then. */
const trustMs = 1_000
/** Messages of one endpoint that were sent and are not yet written down; then sending waits. */
const mostUnwritten = 200
/** How long calls may still take when the node stops. */
const graceMs = 5_000
const pauseMs = 1_000
/** After one commit, outcomes gather for so long before the next: many endpoints then share it. */
const gatherMs = 25

/** Sends what endpoints are to be sent. Each has a lane of its own: a slow one keeps no other waiting. */
export function webhooksFace(services: WebhookServices): Webhooks {
  const { node, log } = services
  const stopping = new AbortController()
  const lanes = new Map<string, Lane>()
  const book = new Book(services)
  return {
    async look() {
      if (stopping.signal.aborted) return
      for (const queue of await takeQueues(services, node)) {
        let lane = lanes.get(queue.id)
        if (!lane) {
          lane = new Lane(services, queue, book, stopping.signal)
          lanes.set(queue.id, lane)
        }
        lane.work()
      }
      for (const [id, lane] of lanes) if (lane.isIdle()) lanes.delete(id)
    },
    async stop() {
      stopping.abort()
      await Promise.all([...lanes.values()].map((lane) => lane.stop()))
      await book.stop()
      await releaseQueues(services, node).catch((error) =>
        log.warn({ err: error }, 'webhook queues could not be released; the others wait for the lease'),
      )
    },
  }
}

/** The messages of one endpoint: read a few at a time, sent three at a time. */
class Lane {
  readonly #services: WebhookServices
  readonly #queue: Queue
  readonly #book: Book
  readonly #stopping: AbortSignal
  readonly #giveUp = new AbortController()
  /** Under way, or not yet written down. */
  readonly #busy = new Set<string>()
  readonly #senders = new Set<Promise<void>>()
  #read: DueMessage[] = []
  #readAt = 0
  #reading: Promise<void> | null = null

  constructor(services: WebhookServices, queue: Queue, book: Book, stopping: AbortSignal) {
    this.#services = services
    this.#queue = queue
    this.#book = book
    this.#stopping = stopping
  }

  isIdle(): boolean {
    return this.#senders.size === 0 && this.#busy.size === 0
  }

  work(): void {
    while (this.#senders.size < atOnce && !this.#stopping.aborted) {
      const sender: Promise<void> = this.#send()
        .catch((error) => {
          if (this.#stopping.aborted) return
          const { id, workspaceId: workspace } = this.#queue
          this.#services.log.warn({ err: error, workspace, endpoint: id }, 'webhooks could not be sent')
        })
        .finally(() => this.#senders.delete(sender))
      this.#senders.add(sender)
    }
  }

  async stop(): Promise<void> {
    const timer = setTimeout(() => this.#giveUp.abort(), graceMs)
    await Promise.all(this.#senders)
    clearTimeout(timer)
  }

  async #send(): Promise<void> {
    for (let message = await this.#next(); message; message = await this.#next()) {
      const outcome = await this.#deliver(message)
      const written = this.#book.write(outcome).finally(() => this.#busy.delete(outcome.eventId))
      if (outcome.status === 410 || outcome.notBefore) {
        // Nothing more before it is known: the endpoint is gone, or wants to be left alone.
        this.#read = []
        await written
        if (outcome.status === 410) await turnOff(this.#services, this.#queue, 'gone')
      } else if (this.#busy.size >= mostUnwritten) await written
      else written.catch(() => {})
    }
  }

  async #deliver(message: DueMessage): Promise<Outcome> {
    try {
      return await deliver(this.#services, this.#services.calling, message, this.#giveUp.signal)
    } catch (error) {
      this.#busy.delete(message.eventId)
      throw error
    }
  }

  async #next(): Promise<DueMessage | undefined> {
    if (this.#stopping.aborted) return
    if (this.#read.length === 0 || performance.now() - this.#readAt > trustMs) {
      this.#reading ??= this.#readMore().finally(() => {
        this.#reading = null
      })
      await this.#reading
    }
    const message = this.#read.shift()
    if (message) this.#busy.add(message.eventId)
    return message
  }

  async #readMore(): Promise<void> {
    const { node } = this.#services
    this.#read = []
    this.#read = await nextMessages(this.#services, this.#queue, { node, busy: [...this.#busy], most: batch })
    this.#readAt = performance.now()
  }
}

/** Records the outcome of messages: what arrives while it writes is written together, next. */
class Book {
  readonly #services: WebhookServices
  readonly #stopping = new AbortController()
  #waiting: { outcome: Outcome; done: () => void; failed: (error: Error) => void }[] = []
  #writing: Promise<void> | null = null

  constructor(services: WebhookServices) {
    this.#services = services
  }

  write(outcome: Outcome): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#waiting.push({ outcome, done: resolve, failed: reject })
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
    return promise
  }

  /** What cannot be written now is sent again by the next worker of the queue. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0)
      try {
        await settleOutcomes(
          this.#services,
          some.map(({ outcome }) => outcome),
        )
        for (const { done } of some) done()
        await sleep(gatherMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
      } catch (error) {
        this.#services.log.warn({ err: error }, 'the results of webhooks could not be recorded')
        if (this.#stopping.signal.aborted) {
          for (const { failed } of some) failed(error as Error)
          continue
        }
        this.#waiting.unshift(...some)
        await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => {})
      }
    }
  }
}
