import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type CurrentSettings, remedyIn } from '@signalbox/contract/remedy.ts'
import type { AnyOrder, Beat, Register, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { Trash } from '../disk/trash.ts'
import type { Client } from '../protocol/client.ts'
import { isFinal, isOutdated, Refused } from '../protocol/failures.ts'
import type { Persist } from '../protocol/persist.ts'
import type { OrderSpool } from '../spool/order-spool.ts'
import type { Time } from '../time.ts'
import { Delivery } from './delivery.ts'
import { LogLines } from './log-lines.ts'
import { killMarked } from './marked-processes.ts'
import type { Secrets } from './mask.ts'
import {
  type OrderContext,
  RepositoryRefused,
  Stopped,
  type Usage,
  type Work,
  WorkFailed,
} from './order-context.ts'
import { OrderTrace, type TraceFields } from './order-trace.ts'
import { type WatchdogLimits, Watchdogs } from './watchdogs.ts'

/** What every order is worked with. */
export interface OrderDeps {
  client: Client
  persist: Persist
  time: Time
  say: (line: string, trace?: TraceFields) => void
  /** The options that this process was started with, for a line to paste. */
  setToday: CurrentSettings
  secrets: Secrets
  limits: () => { chunkBytes: number; lineBytes: number; reportBytes: number; fileBytes: number }
  watchdogs: WatchdogLimits
  diskFree: () => number | null
  trash: Trash
  /** Beats at once; returns when it was answered, or when it was not. */
  beat: () => Promise<void>
  /** Goes when this process does: what is unsent then stays in the spool. */
  leaving: AbortSignal
}

const pushFreshSeconds = 10
/** Nothing depends on the trace, so little time is given to it. */
const spansMs = 5_000
/** How long the work may take to end politely, and then to end at all. */
const graceSeconds = 20
const letGoSeconds = 10

/** One order from the moment it is here until nothing about it is left to tell. */
export class HeldOrder {
  readonly #spool: OrderSpool
  readonly #deps: OrderDeps
  readonly #mark: Record<string, string>
  readonly #delivery: Delivery
  readonly #secrets: Secrets
  #isSecretTold = false
  readonly #log: LogLines
  readonly #trace: OrderTrace
  readonly #cancelled = new AbortController()
  readonly #aborted = new AbortController()
  readonly #settled = Promise.withResolvers<void>()
  #phase = 'starting'
  #lastEventAt: Date | null = null
  #spentMicros = 0
  #isWorking = false
  #isOver = false
  #leaseSeconds = 60
  /** When the beat was sent to which the server last answered that this is still wanted. */
  #wantedAt: number | null = null

  constructor(spool: OrderSpool, mark: Record<string, string>, deps: OrderDeps, traceparent?: string) {
    this.#trace = new OrderTrace(traceparent, (spans) =>
      deps.client.spans(this, { spans }, AbortSignal.timeout(spansMs)),
    )
    this.#spool = spool
    this.#mark = mark
    this.#deps = deps
    this.#secrets = deps.secrets.forOrder()
    this.#delivery = new Delivery({
      spool,
      client: deps.client,
      persist: deps.persist,
      time: deps.time,
      traceparent: () => this.#trace.traceparent,
      reportBytes: () => deps.limits().reportBytes,
      onStop: (how, reason) => this.stop(new Stopped(reason, { how, by: 'server' })),
    })
    this.#log = new LogLines(deps.limits(), deps.time, (lines) => {
      spool.log(lines)
      this.#delivery.wake()
    })
  }

  get run(): string {
    return this.#spool.run
  }
  get fence(): number {
    return this.#spool.fence
  }
  get isWorking(): boolean {
    return this.#isWorking
  }
  /** Of the span that calls about this order belong under. */
  get traceparent(): string | null {
    return this.#trace.traceparent
  }
  /** Whether something was spent of which the server may not have heard. */
  get owes(): boolean {
    return this.#spool.owes
  }
  /** Whether the disk would not take what was to be written. */
  get isStuck(): boolean {
    return this.#spool.isStuck
  }

  get held(): Register['holds'][number] {
    const state = this.#spool.isEnded ? 'reported' : this.#isWorking ? 'working' : 'lost'
    return { run: this.run, fence: this.fence, state }
  }

  get pulse(): Beat['orders'][number] {
    return {
      run: this.run,
      fence: this.fence,
      phase: this.#phase,
      lastEventAt: this.#lastEventAt?.toISOString() ?? null,
      reportNext: this.#spool.reported + 1,
      logNext: this.#spool.logged + 1,
      spentMicros: this.#spentMicros,
    }
  }

  /** The server has answered a beat that was sent at `sentAt`: go on. */
  wanted(sentAt: number): void {
    this.#wantedAt = sentAt
  }

  /** Works on it until the end, and tells the server everything. */
  async work(order: AnyOrder, work: Work): Promise<void> {
    this.#isWorking = true
    this.#leaseSeconds = order.leaseSeconds
    const delivered = this.#deliver()
    const over = new AbortController()
    const watchdogs = new Watchdogs(this.#deps.watchdogs, {
      time: this.#deps.time,
      diskFree: this.#deps.diskFree,
      trip: (why) => this.stop(why),
    })
    void watchdogs.watch(AbortSignal.any([over.signal, this.#cancelled.signal]))
    const folder = this.#folder
    const from = Date.now()
    let hasFailed = false
    try {
      await this.#heardOf()
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      await Promise.race([this.#settled.promise, work(order, this.#context(folder, watchdogs))])
      if (!this.#spool.isEnded) throw new WorkFailed('The work ended without a result.', 'persistent')
    } catch (error) {
      hasFailed = true
      this.#fail(error)
    } finally {
      over.abort()
      this.#isWorking = false
      this.#phase = 'reporting'
      this.#log.end()
      this.#conclude()
      await this.#clearAway()
      this.#finish()
    }
    await Promise.all([delivered, this.#trace.end(from, hasFailed)])
  }

  /** Says something of this order on the runner's own log. */
  say(what: string): void {
    this.#deps.say(`${this.run}: ${what}`, this.#trace.fields ?? undefined)
  }

  /** An order that cannot be worked on, or whose worker died with an earlier process. */
  async end(event: Extract<RunnerEvent, { type: 'failed' }> | null): Promise<void> {
    await this.#clearAway()
    this.#phase = 'reporting'
    if (event && !this.#spool.isEnded) this.#spool.report(event)
    this.#conclude()
    const delivered = this.#deliver()
    this.#finish()
    await delivered
  }

  /** The server has said that it wants nothing more of it. */
  async drop(): Promise<void> {
    await this.#clearAway()
    this.#spool.close(this.#deps.time.date())
    this.#spool.release()
  }

  stop(why: Stopped): void {
    // After its own last report an order is over for the server, and what is left here is to tidy up.
    if (this.#isOver || (this.#spool.isEnded && why.by === 'server')) return
    if (!this.#cancelled.signal.aborted) {
      if (this.#isWorking) this.say(`stopping. ${why.message}`)
      this.#cancelled.abort(why)
    }
    if (!this.#isWorking) return
    if (why.how === 'abort') this.#abort(why)
    else
      void this.#deps.time
        .wait(graceSeconds, this.#settledSignal())
        .then(() => this.#isWorking && this.#abort(why))
  }

  #abort(why: Stopped): void {
    if (this.#aborted.signal.aborted) return
    this.#aborted.abort(why)
    killMarked(this.#mark)
    void this.#deps.time.wait(letGoSeconds, this.#settledSignal()).then(() => this.#settled.reject(why))
  }

  #settledSignal(): AbortSignal {
    const settled = new AbortController()
    this.#settled.promise.then(
      () => settled.abort(),
      () => settled.abort(),
    )
    return settled.signal
  }

  #finish(): void {
    this.#isOver = true
    this.#settled.resolve()
    this.#delivery.wake()
  }

  /** Sends until all has arrived, then forgets it; what this process cannot send stays for the next. */
  async #deliver(): Promise<void> {
    const { leaving, time } = this.#deps
    await this.#delivery.run(() => this.#isOver, leaving)
    await this.#settled.promise.catch(() => undefined)
    if (leaving.aborted && this.#spool.owes) await this.#delivery.part()
    if (!leaving.aborted || this.#spool.isDelivered) this.#spool.close(time.date())
    this.#spool.release()
  }

  /** Nothing is begun before a beat has said that it is still wanted: that was the first sign of life, too. */
  async #heardOf(): Promise<void> {
    while (this.#wantedAt === null) await this.#askedByBeat()
  }

  async #askedByBeat(): Promise<void> {
    this.#cancelled.signal.throwIfAborted()
    await this.#deps.beat()
    this.#cancelled.signal.throwIfAborted()
  }

  async #wantedWithin(seconds: number): Promise<void> {
    this.#cancelled.signal.throwIfAborted()
    while (this.#wantedAt === null || this.#deps.time.now() - this.#wantedAt >= seconds)
      await this.#askedByBeat()
  }

  #fail(error: unknown): void {
    const why = this.#cancelled.signal.aborted ? (this.#cancelled.signal.reason as Stopped) : error
    if (this.#spool.isEnded || (why instanceof Stopped && why.by !== 'watchdog')) return
    const isTold = why instanceof WorkFailed || why instanceof Stopped
    if (!isTold) this.say(`${(why as Error)?.stack ?? why}`)
    const isRefused = why instanceof RepositoryRefused
    if (isRefused) this.#sayRefused(why.message)
    // The log of a job or a pod is often all that is left of an ephemeral runner.
    else if (why instanceof WorkFailed)
      this.say(`failed. ${this.#secrets.maskedText(why.message).split('\n')[0]}`)
    this.#put({
      type: 'failed',
      failureClass: isTold ? why.failureClass : 'persistent',
      error: `${(why as Error)?.message ?? why}`.slice(0, 20_000),
      ...(isRefused ? { waitsFor: 'repository' as const } : {}),
    })
  }

  /** The person at this terminal can often help. */
  #sayRefused(reason: string): void {
    this.say(`waiting for its repository. ${this.#secrets.maskedText(reason)}`)
    const remedy = remedyIn(reason, this.#deps.setToday)
    if (remedy?.of === 'runner') this.#deps.say(`Start this runner again with: ${remedy.line}`)
  }

  #put(event: RunnerEvent): void {
    this.#tell(event, (masked) => this.#spool.report(masked))
  }

  #tell<T extends RunnerEvent>(event: T, write: (masked: T) => void): void {
    this.#lastEventAt = this.#deps.time.date()
    if (event.type === 'usage') this.#spentMicros += Math.round(event.amount * 1_000_000)
    this.#tellOfSecrets(event)
    this.#log.flush()
    write(this.#secrets.masked(event))
    this.#delivery.wake()
  }

  /** A call is made only when what it can cost is on disk: neither a crash nor a full disk makes it free. */
  #reserve(most: Usage): (cost: Usage | null) => void {
    if (this.#spool.isEnded || !this.#isWorking) throw new Error('the order is over')
    const id = this.#spool.reserve(this.#secrets.masked(most))
    if (this.#spool.isStuck) {
      this.#spool.settle(id, null)
      throw new Error('the disk of the runner is full, so the cost of the call could not be recorded')
    }
    return (cost) => {
      // A stop without waiting has booked all of it.
      if (!this.#spool.isReserved(id)) return
      if (cost) this.#tell(cost, (masked) => this.#spool.settle(id, masked))
      else this.#spool.settle(id, null)
    }
  }

  /** From here on a provider's late answers are not waited for. */
  #conclude(): void {
    this.#spool.conclude()
    this.#delivery.wake()
  }

  /** A path or a name is told as it is, because rules have to match it; that there is a secret in it is said, once. */
  #tellOfSecrets(event: RunnerEvent): void {
    const [left] = this.#isSecretTold ? [] : this.#secrets.leftIn(event)
    if (left === undefined) return
    this.#isSecretTold = true
    this.#log.print(
      `${left} contains one of the secrets of this runner, and was reported as it is. Rename it, or change the secret.`,
    )
  }

  /** For the work alone; what is to be told lies beside it. */
  get #folder(): string {
    return path.join(this.#spool.folder, 'work')
  }

  async #clearAway(): Promise<void> {
    const left = killMarked(this.#mark)
    if (left > 0) this.say(`ended ${left} processes that were left behind.`)
    await this.#deps.trash.put(this.#folder)
  }

  #context(folder: string, watchdogs: Watchdogs): OrderContext {
    const { client, persist } = this.#deps
    const secrets = this.#secrets
    const cancelled = this.#cancelled.signal
    return {
      folder,
      mark: this.#mark,
      cancelled,
      aborted: this.#aborted.signal,
      phase: (name) => {
        this.#phase = name.slice(0, 40)
      },
      report: (event) => {
        // What was spent is spent, no matter who has stopped it.
        if (event.type !== 'usage') cancelled.throwIfAborted()
        const isLate = event.type === 'usage' ? this.#spool.isConcluded : this.#spool.isEnded
        if (isLate || !this.#isWorking)
          throw new Error(`${event.type} was reported after the end of the order.`)
        this.#put(event)
      },
      reserve: (most) => this.#reserve(most),
      print: (line) => this.#log.print(secrets.maskedText(line)),
      keep: async (file) => {
        const bytes = typeof file === 'string' ? await readFile(file) : file
        const most = this.#deps.limits().fileBytes
        if (bytes.length > most)
          throw new WorkFailed(
            `A file of ${bytes.length} bytes is larger than the ${most} that the server accepts.`,
            'persistent',
          )
        const sha256 = createHash('sha256').update(bytes).digest('hex')
        await this.#orOutdated(persist((over) => client.keepFile(this, sha256, bytes, over), cancelled))
        return sha256
      },
      fetchFile: async (sha256) => {
        const bytes = await this.#orOutdated(
          persist((over) => client.fetchFile(this, sha256, over), cancelled),
        )
        if (createHash('sha256').update(bytes).digest('hex') !== sha256)
          throw new WorkFailed(`The server sent a file that does not match ${sha256}.`, 'transient')
        const file = path.join(folder, sha256)
        await writeFile(file, bytes, { mode: 0o600 })
        return file
      },
      credential: async (access, repository) => {
        await this.#wantedWithin(access === 'write' ? pushFreshSeconds : this.#leaseSeconds)
        const named = repository === undefined ? {} : { repository }
        const credential = await this.#orOutdated(
          persist((over) => client.credential(this, { for: 'git', access, ...named }, over), cancelled),
        ).catch((error) => {
          throw error.cause instanceof Refused && error.cause.code === 'tool_refused'
            ? new RepositoryRefused(error.message)
            : error
        })
        if (credential.header) secrets.addHeader(credential.header)
        return credential
      },
      mayPush: () => this.#wantedWithin(pushFreshSeconds),
      watchTurn: () => watchdogs.watchTurn(),
      took: (what, from) => this.#trace.took(secrets.masked(what), from),
      hide: (secret) => secrets.add(secret),
    }
  }

  async #untilCancelled(): Promise<never> {
    const { signal } = this.#cancelled
    if (!signal.aborted) await once(signal, 'abort')
    throw signal.reason
  }

  /** A call of this order may be told that the order is over; whatever else is refused fails the work. */
  async #orOutdated<T>(call: Promise<T>): Promise<T> {
    try {
      return await call
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (isFinal(error)) await this.#untilCancelled()
      if (!isOutdated(error)) throw new WorkFailed(error.message, 'persistent', { cause: error })
      const why = new Stopped(error.message, { how: 'abort', by: 'server' })
      this.stop(why)
      throw why
    }
  }
}
