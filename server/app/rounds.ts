import { Worker } from 'node:worker_threads'
import { asService } from '../domain/context.ts'
import { handleSignals } from '../domain/incidents/handle.ts'
import { sealWith } from '../domain/seals/seal.ts'
import { systemClock } from '../infra/clock.ts'
import type { Jobs } from '../infra/jobs/queue.ts'
import type { Base, Part } from './parts.ts'
import type { Answer, Question, ThreadOptions } from './round-thread.ts'

export interface Rounds extends Part {
  /** Takes everything that waits in a workspace. Returns how many deliveries that were. */
  take(workspaceId: string): Promise<number>
}

/** From this many on, what comes next is left to the thread. */
const muchAtOnce = 200
/** It goes when it has had nothing to do for so long: its memory is that of a second server. */
const idleMs = 60_000

/**
 * Who makes deliveries, entries and alerts of what arrived. Now and then that is this thread, between two requests; in a
 * rush it is one of its own, so that taking in and working off do not wait for each other. Whatever happens to that
 * thread, what it was about to do is rolled back, waits in the database, and is done here.
 */
export function startRounds(
  base: Pick<Base, 'config' | 'clock' | 'log' | 'storage' | 'metrics'>,
  queue: Jobs,
  { from = muchAtOnce, onThread = () => {} }: { from?: number; onThread?: (worker: Worker) => void } = {},
): Rounds {
  const { clock, log, storage, metrics } = base
  const onSealed = (count: number) => metrics.sealed.inc(count)
  const seal = sealWith(storage.secrets.signing, clock, onSealed)
  const here = (workspaceId: string) =>
    handleSignals(asService({ db: storage.db, clock, queue }, workspaceId), { seal })
  // Another thread has no clock but the system's.
  const mayStart = clock === systemClock
  let thread: RoundThread | null = null
  let stopping = false
  let idle: NodeJS.Timeout | undefined

  const start = () => {
    const started = new RoundThread(
      {
        connection: storage.connection as ThreadOptions['connection'],
        asAppRole: storage.asAppRole,
        statementSeconds: base.config.databaseStatementSeconds,
        signing: storage.secrets.signing,
      },
      { onSealed, onSent: () => queue.hurry(), onThread },
    )
    started.ended.then((error) => {
      if (thread === started) thread = null
      if (error) log.warn({ err: error }, 'the thread of the alert intake ended; its work is done without it')
    })
    return started
  }
  const restWhenIdle = () => {
    clearTimeout(idle)
    idle = setTimeout(() => {
      const ended = thread
      thread = null
      ended?.stop()
    }, idleMs).unref()
  }

  return {
    async take(workspaceId) {
      if (thread?.isReady) {
        restWhenIdle()
        try {
          return await thread.take(workspaceId)
        } catch (error) {
          if (!(error instanceof ThreadEnded)) throw error
        }
      }
      const count = await here(workspaceId)
      if (mayStart && !stopping && count >= from) thread ??= start()
      return count
    },
    async stop() {
      stopping = true
      clearTimeout(idle)
      await thread?.stop()
    },
  }
}

class ThreadEnded extends Error {}

/** The other end of round-thread.ts. */
class RoundThread {
  isReady = false
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
    this.#worker.on('message', (answer: Answer) => {
      if (answer.type === 'ready') this.isReady = true
      else if (answer.type === 'sealed') onSealed(answer.count)
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
