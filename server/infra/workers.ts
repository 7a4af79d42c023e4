import cluster, { type Worker as Child } from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from './log.ts'

/**
 * Several processes of one server. The primary starts the workers and replaces one that ends. They talk in messages,
 * each an object with a `type`.
 */

/** What a worker is told when it begins. */
interface Brief<B> {
  type: 'begin'
  place: number
  brief: B
}

interface Question {
  type: 'question'
  question: number
  about: string
}

type ToWorker<B> = Brief<B> | Question | { type: 'stop' }

type FromWorker<R> =
  /** From here on it receives messages: earlier, they would be lost. */
  | { type: 'here' }
  | { type: 'ready'; ready: R }
  | { type: 'failed'; message: string }
  | { type: 'answered'; question: number; answer: unknown }

interface Seat {
  place: number
  child: Child | null
  /** It hears what is said to it. */
  isHere: boolean
  isReady: boolean
  /** Attempts in a row that ended before they served. */
  failures: number
}

const firstPauseMs = 500
const longestPauseMs = 30_000
const longestAnswerMs = 2_000

/** How often the first is tried that ends without a word, before anyone serves. */
const firstAttempts = 3

export class WorkerFailed extends Error {
  /** It said why: that will be so the next time, too. */
  readonly hasReason: boolean

  constructor(message: string, options: { hasReason: boolean }) {
    super(message)
    this.hasReason = options.hasReason
  }
}

/** In the primary: as many workers as were asked for, for as long as it runs. */
export class Workers<B, R> {
  readonly #brief: B
  readonly #log: Logger
  readonly #seats: Seat[]
  readonly #asked = new Map<number, (answer: unknown) => void>()
  #questions = 0
  #stopping = false
  #replaced = 0

  constructor(options: { count: number; brief: B; log: Logger }) {
    this.#brief = options.brief
    this.#log = options.log
    this.#seats = Array.from({ length: options.count }, (_, index) => ({
      place: index + 1,
      child: null,
      isHere: false,
      isReady: false,
      failures: 0,
    }))
  }

  /**
   * Returns when all of them serve. What keeps the first from beginning is thrown: it would keep the others, too. Once
   * it serves, nothing that happens to another ends it; one that did not begin is tried again while the rest serve.
   */
  async start(): Promise<R> {
    const [first, ...others] = this.#seats
    // Alone at first: what keeps it from beginning is then said once.
    const ready = await this.#fillFirst(first!)
    await Promise.all(others.map((seat) => this.#fillOrKeepTrying(seat)))
    return ready
  }

  /** One that was killed before it served says nothing about the next. */
  async #fillFirst(seat: Seat): Promise<R> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#fill(seat)
      } catch (error) {
        const isOver = (error as WorkerFailed).hasReason || attempt === firstAttempts || this.#stopping
        if (isOver) throw error
        this.#log.error({ err: error, worker: seat.place }, 'a worker did not start; trying again')
      }
    }
  }

  async #fillOrKeepTrying(seat: Seat): Promise<void> {
    try {
      await this.#fill(seat)
    } catch (error) {
      if (this.#stopping) return
      this.#log.error({ err: error, worker: seat.place }, 'a worker did not start; trying again')
      void this.#keepTrying(seat)
    }
  }

  /** How many serve now, of how many, and how many had to be replaced. */
  state(): { serving: number; wanted: number; replaced: number } {
    const serving = this.#seats.filter(({ isReady }) => isReady).length
    return { serving, wanted: this.#seats.length, replaced: this.#replaced }
  }

  /** What each worker that serves says to a question; one that does not answer in time is left out. */
  async ask(about: string): Promise<unknown[]> {
    const answers = await Promise.all(
      this.#seats.filter(({ isReady }) => isReady).map(({ child }) => this.#askOne(child!, about)),
    )
    return answers.filter((answer) => answer !== undefined)
  }

  async #askOne(child: Child, about: string): Promise<unknown> {
    this.#questions += 1
    const question = this.#questions
    const answer = new Promise<unknown>((resolve) => this.#asked.set(question, resolve))
    child.send({ type: 'question', question, about } satisfies Question)
    const late = Promise.withResolvers<undefined>()
    const timer = setTimeout(() => late.resolve(undefined), longestAnswerMs).unref()
    return Promise.race([answer, late.promise]).finally(() => {
      clearTimeout(timer)
      this.#asked.delete(question)
    })
  }

  /** Each finishes what is under way. One that still loads has nothing under way. */
  async stop(): Promise<void> {
    this.#stopping = true
    await Promise.all(
      this.#seats.map(async ({ child, isHere }) => {
        if (!child || child.isDead()) return
        const ended = once(child, 'exit')
        if (!isHere) child.process.kill('SIGTERM')
        else if (child.isConnected()) child.send({ type: 'stop' })
        await ended
      }),
    )
  }

  /** The same without waiting. */
  abandon(): void {
    this.#stopping = true
    for (const { child } of this.#seats) child?.process.kill('SIGKILL')
  }

  #fill(seat: Seat): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    const child = cluster.fork()
    let reason: string | undefined
    Object.assign(seat, { child, isHere: false, isReady: false })
    // A message to one that has just ended cannot be delivered; its end is heard below.
    child.on('error', () => {})
    child.on('message', (message: FromWorker<R>) => {
      if (message.type === 'here') {
        seat.isHere = true
        child.send(this.#firstWord(seat))
      }
      if (message.type === 'answered') this.#asked.get(message.question)?.(message.answer)
      if (message.type === 'failed') reason = message.message
      if (message.type !== 'ready') return
      Object.assign(seat, { isReady: true, failures: 0 })
      resolve(message.ready)
    })
    child.on('exit', (code, signal) => {
      const served = seat.isReady
      seat.isReady = false
      const hasReason = reason !== undefined
      reject(
        new WorkerFailed(reason ?? `Worker ${seat.place} ended with ${signal ?? `code ${code}`}.`, {
          hasReason,
        }),
      )
      if (served) void this.#replace(seat, { code, signal })
    })
    return promise
  }

  #firstWord({ place }: Seat): ToWorker<B> {
    return this.#stopping ? { type: 'stop' } : { type: 'begin', place, brief: this.#brief }
  }

  async #replace(seat: Seat, { code, signal }: { code: number; signal: string }): Promise<void> {
    if (this.#stopping) return
    const { place, child } = seat
    this.#replaced += 1
    this.#log.error(
      { worker: place, pid: child?.process.pid, code, signal },
      'a worker stopped; starting another in its place',
    )
    await this.#keepTrying(seat)
  }

  async #keepTrying(seat: Seat): Promise<void> {
    const { place } = seat
    while (!this.#stopping) {
      try {
        await this.#fill(seat)
        this.#log.info({ worker: place, pid: seat.child?.process.pid }, 'the worker was replaced')
        return
      } catch (error) {
        if (this.#stopping) return
        seat.failures += 1
        this.#log.error({ err: error, worker: place }, 'a worker did not start; trying again')
        await sleep(Math.min(firstPauseMs * 2 ** (seat.failures - 1), longestPauseMs), undefined, {
          ref: false,
        })
      }
    }
  }
}

export const isWorker = (): boolean => cluster.isWorker

/** In a worker: begins when it is told to, and hears what is said to it until it is told to stop. */
export class WorkerSide<B, R> {
  readonly #answers = new Map<string, () => Promise<unknown>>()
  readonly #begun = Promise.withResolvers<Pick<Brief<B>, 'place' | 'brief'>>()
  readonly #stopped = new AbortController()
  /** Aborted when it is told to stop, whether or not it has begun. */
  readonly unwanted = this.#stopped.signal

  constructor() {
    process.on('message', (message: ToWorker<B>) => {
      if (message.type === 'begin') this.#begun.resolve(message)
      if (message.type === 'question') void this.#answer(message)
      if (message.type === 'stop') this.#stopped.abort()
    })
    // A terminal sends it to all of them, and the primary tells each when to stop.
    process.on('SIGINT', () => {})
    process.on('SIGTERM', () => this.#stopped.abort())
    void this.#say({ type: 'here' })
  }

  /** Null when it is told to stop instead. */
  begin(): Promise<Pick<Brief<B>, 'place' | 'brief'> | null> {
    return Promise.race([this.#begun.promise, this.untilStopped().then(() => null)])
  }

  ready(ready: R): Promise<void> {
    return this.#say({ type: 'ready', ready })
  }

  /** Why it could not begin, in words for the one who started the server. */
  failed(message: string): Promise<void> {
    return this.#say({ type: 'failed', message })
  }

  onQuestion(about: string, answer: () => Promise<unknown>): void {
    this.#answers.set(about, answer)
  }

  async untilStopped(): Promise<void> {
    if (!this.unwanted.aborted) await once(this.unwanted, 'abort')
  }

  /**
   * Ends the process: with the primary it has nothing more to do. Left to itself, Node would take its heap apart first,
   * which costs a second on an idle machine and many on a busy one.
   */
  leave(): never {
    if (process.connected) process.disconnect()
    process.exit()
  }

  async #answer({ question, about }: Question): Promise<void> {
    // One that cannot be answered is not answered: the primary does not wait for long.
    const answer = await this.#answers
      .get(about)?.()
      .catch(() => undefined)
    await this.#say({ type: 'answered', question, answer })
  }

  /** The primary may be gone, and this process is about to go as well: that is no failure of its own. */
  #say(message: FromWorker<R>): Promise<void> {
    return new Promise((resolve) => {
      if (!process.connected) resolve()
      else process.send!(message, undefined, undefined, () => resolve())
    })
  }
}
