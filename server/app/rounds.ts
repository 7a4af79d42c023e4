import { Worker } from 'node:worker_threads'
import { asService } from '../domain/context.ts'
import { handleSignals } from '../domain/on-call/incidents/handle.ts'
import { sealWith } from '../domain/record/seals/seal.ts'
import { systemClock } from '../infra/clock.ts'
import type { Jobs } from '../infra/jobs/queue.ts'
import type { Base, Part } from './parts.ts'
import type { Answer, Question, ThreadOptions } from './round-thread.ts'
import { replicaOf } from './storage.ts'

export interface Rounds extends Part {
  /** Takes everything that waits in a workspace. Returns how many deliveries that were. */
  take(workspaceId: string): Promise<number>
}

/** From this many on, what comes next is left to the thread. */
const muchAtOnce = 200

interface ForTests {
  from?: number
  /** The thread goes when it has had nothing to do for so long: its memory is that of a second server. */
  idleMs?: number
  onThread?: (worker: Worker) => void
}

/**
 * Who makes deliveries, entries and alerts of what arrived. Now and then that is this thread, between two requests; in a
 * rush it is one of its own, so that taking in and working off do not wait for each other. Whatever happens to that
 * thread, what it was about to do is rolled back, waits in the database, and is done here.
 */
export function startRounds(
  { config, clock, log, storage, metrics }: Base,
  queue: Jobs,
  { from = muchAtOnce, idleMs = 60_000, onThread = () => {} }: ForTests = {},
): Rounds {
  const { db, connection, asAppRole, secrets } = storage
  const onSealed = (count: number) => metrics.sealed.inc(count)
  const seal = sealWith(secrets.signing, clock, onSealed)
  const options: ThreadOptions = {
    connection: connection as ThreadOptions['connection'],
    replica: replicaOf(config),
    ...{ asAppRole, statementSeconds: config.databaseStatementSeconds, signing: secrets.signing },
  }
  const helper = new HelpingThread(
    () => new RoundThread(options, { onSealed, onSent: () => queue.hurry(), onThread }),
    idleMs,
    (error) => log.warn({ err: error }, 'the thread of the alert intake ended; its work is done without it'),
  )
  // Another thread has no clock but the system's.
  const mayHelp = clock === systemClock
  return {
    async take(workspaceId) {
      const taken = await helper.take(workspaceId)
      if (taken !== null) return taken
      const count = await handleSignals(asService({ db, clock, queue }, workspaceId), { seal })
      if (mayHelp && count >= from) helper.call()
      return count
    },
    stop: () => helper.stop(),
  }
}

/** The thread while there is one: it is called in a rush, and goes when it has had nothing to do for a while. */
class HelpingThread {
  readonly #start: () => RoundThread
  readonly #idleMs: number
  readonly #onFailed: (error: Error) => void
  #thread: RoundThread | null = null
  #underWay = 0
  #idle: NodeJS.Timeout | undefined
  #stopping = false

  constructor(start: () => RoundThread, idleMs: number, onFailed: (error: Error) => void) {
    this.#start = start
    this.#idleMs = idleMs
    this.#onFailed = onFailed
  }

  call(): void {
    if (this.#stopping || this.#thread) return
    const started = this.#start()
    this.#thread = started
    started.ready.then(() => this.#restWhenIdle())
    started.ended.then((error) => {
      if (this.#thread === started) this.#thread = null
      if (error) this.#onFailed(error)
    })
  }

  /** Null where there is none, or it ended: what it had not finished still waits. */
  async take(workspaceId: string): Promise<number | null> {
    if (!this.#thread?.isReady) return null
    this.#underWay += 1
    try {
      return await this.#thread.take(workspaceId)
    } catch (error) {
      if (error instanceof ThreadEnded) return null
      throw error
    } finally {
      this.#underWay -= 1
      this.#restWhenIdle()
    }
  }

  async stop(): Promise<void> {
    this.#stopping = true
    clearTimeout(this.#idle)
    await this.#thread?.stop()
  }

  #restWhenIdle(): void {
    clearTimeout(this.#idle)
    this.#idle = setTimeout(() => {
      if (this.#underWay > 0) return
      const ended = this.#thread
      this.#thread = null
      ended?.stop()
    }, this.#idleMs).unref()
  }
}

class ThreadEnded extends Error {}

/** The other end of round-thread.ts. */
class RoundThread {
  isReady = false
  readonly ready: Promise<void>
  /** With what it ended; null where it was asked to. */
  readonly ended: Promise<Error | null>
  readonly #worker: Worker
  readonly #asked = new Map<number, { resolve: (count: number) => void; reject: (error: Error) => void }>()
  #number = 0
  #stopping = false

  constructor(
    options: ThreadOptions,
    {
      onSealed,
      onSent,
      onThread,
    }: { onSealed(count: number): void; onSent(): void; onThread(worker: Worker): void },
  ) {
    this.#worker = new Worker(new URL('./round-thread.ts', import.meta.url), { workerData: options })
    const { promise, resolve: nowReady } = Promise.withResolvers<void>()
    this.ready = promise
    this.#worker.on('message', (answer: Answer) => {
      if (answer.type === 'ready') {
        this.isReady = true
        nowReady()
      } else if (answer.type === 'sealed') onSealed(answer.count)
      else if (answer.type === 'sent') onSent()
      else this.#settle(answer)
    })
    onThread(this.#worker)
    this.ended = new Promise((resolve) => {
      let failure: Error | null = null
      this.#worker.on('error', (error) => {
        failure = error as Error
      })
      this.#worker.on('exit', (code) => {
        this.isReady = false
        const gone = new ThreadEnded('The thread has ended.')
        for (const { reject } of this.#asked.values()) reject(gone)
        this.#asked.clear()
        resolve(this.#stopping ? null : (failure ?? new Error(`It ended with code ${code}.`)))
      })
    })
  }

  take(workspaceId: string): Promise<number> {
    this.#number += 1
    const number = this.#number
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject })
      this.#worker.postMessage({ type: 'take', number, workspaceId } satisfies Question)
    })
  }

  async stop(): Promise<void> {
    this.#stopping = true
    this.#worker.postMessage({ type: 'stop' } satisfies Question)
    await this.ended
  }

  #settle(answer: Extract<Answer, { type: 'taken' | 'failed' }>): void {
    const asked = this.#asked.get(answer.number)
    this.#asked.delete(answer.number)
    if (answer.type === 'taken') asked?.resolve(answer.count)
    else asked?.reject(Object.assign(new Error(answer.message), { code: answer.code }))
  }
}
