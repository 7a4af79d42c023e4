import { statfsSync } from 'node:fs'
import path from 'node:path'
import { hashOfToken, signEnrolment } from '@signalbox/contract/runner/enrolment.ts'
import {
  type AnyOrder,
  type Beaten,
  ephemeralFeature,
  type Isolation,
  type Registered,
  type RunnerExecutor,
  type RunnerGit,
  runnerFeatures,
} from '@signalbox/contract/runner/messages.ts'
import type { Config } from './config.ts'
import { Trash } from './disk/trash.ts'
import { type ExitError, exitCodes } from './exit-error.ts'
import { openIdentity } from './identity/identity.ts'
import { lockFolder } from './identity/lock.ts'
import { HeldOrder, type OrderDeps } from './orders/held-order.ts'
import { killLeft, markOf } from './orders/marked-processes.ts'
import { Secrets } from './orders/mask.ts'
import { Stopped, type Work } from './orders/order-context.ts'
import type { TraceFields } from './orders/order-trace.ts'
import { type WatchdogLimits, watchdogLimits } from './orders/watchdogs.ts'
import { type Acquiring, createClient } from './protocol/client.ts'
import { acquireOrders } from './session/acquire.ts'
import { Heartbeats } from './session/heartbeats.ts'
import { Session } from './session/session.ts'
import { Spool } from './spool/spool.ts'
import { timeAt } from './time.ts'

export interface RunnerOptions {
  work: Work
  executors: RunnerExecutor[]
  isolation: Isolation
  /** What it can read; left out where that was not checked. */
  git?: RunnerGit
  /** What it can do beyond what every runner of this version can. */
  features?: string[]
  say: (line: string, trace?: TraceFields) => void
  watchdogs?: WatchdogLimits
  /** Where what agents have written to goes; by hand where there is none to do it better. */
  trash?: Trash
  /** Looks after what lies on the disk, once an hour. */
  tidy?: () => Promise<void>
  /** Of the data folder's disk, in bytes. */
  diskFree?: () => number | null
}

export interface Runner {
  /** Why it is over, and what the process ends with. */
  readonly ended: Promise<{ exitCode: number; why: string | null }>
  /** Takes nothing more, finishes what it has, tells the server, leaves. */
  drain(exitCode?: number): void
  /** Does not wait for what it has: hands it back. */
  handBack(): void
}

/** Below this much free disk no work is taken. */
const diskNeededBytes = 1_000_000_000
const tidySeconds = 3600

/** Starts everything: what is above is needed by what is below. */
export function startRunner(config: Config, options: RunnerOptions): Runner {
  const lock = lockFolder(config.data)
  try {
    return new RunnerProcess(config, options, () => lock.release())
  } catch (error) {
    lock.release()
    throw error
  }
}

class RunnerProcess implements Runner {
  readonly #config: Config
  readonly #options: RunnerOptions
  readonly #instance: string
  readonly #spool: Spool
  readonly #trash: Trash
  readonly #session: Session
  readonly #beats: Heartbeats
  readonly #client: ReturnType<typeof createClient>
  readonly #deps: OrderDeps
  readonly #time: ReturnType<typeof timeAt>
  readonly #orders = new Set<HeldOrder>()
  /** From earlier starts, until the server has said what of it is wanted. */
  #left: HeldOrder[]
  readonly #leaving = new AbortController()
  readonly #pollOver = new AbortController()
  readonly #over = Promise.withResolvers<{ exitCode: number; why: string | null }>()
  #changed = Promise.withResolvers<void>()
  #isPaused = false
  /** What to end with once nothing is left; null: it takes work. */
  #drains: number | null = null
  #isAskedToLeave = false
  #isPolling = false
  #isDiskSaid = false
  readonly ended: Runner['ended']

  constructor(config: Config, options: RunnerOptions, release: () => void) {
    const { say } = options
    this.#config = config
    this.#options = options
    this.#time = timeAt(config.pace)
    const identity = openIdentity(config.data)
    this.#instance = identity.instance
    // Before this start registers: the server then offers again what the earlier one had.
    killLeft(identity.instance)
    this.#trash = options.trash ?? new Trash(path.join(config.data, 'trash'), async () => {})
    this.#spool = new Spool(config.data, this.#trash)
    this.#client = createClient({ ...config, time: this.#time })
    const introduction = {
      instance: identity.instance,
      boot: identity.boot,
      name: config.name,
      version: config.version,
      features: [
        ...runnerFeatures,
        ...(config.ephemeral ? [ephemeralFeature] : []),
        ...(options.features ?? []),
      ],
      os: process.platform,
      arch: process.arch,
      slots: config.slots,
      labels: config.labels,
      executors: options.executors,
      isolation: options.isolation,
      ...(options.git ? { git: options.git } : {}),
      evidenceKey: identity.publicKey,
    }
    this.#session = new Session({
      client: this.#client,
      time: this.#time,
      say,
      introduction,
      sign: (challenge) =>
        signEnrolment({ ...introduction, challenge, tokenHash: hashOfToken(config.token) }, identity.key),
      holds: () => [...this.#orders, ...this.#left].map((order) => order.held),
      leaving: this.#leaving.signal,
      onVerdicts: (holds) => this.#settle(holds),
      onEnd: (why) => this.#end(why),
    })
    this.#beats = new Heartbeats({
      client: this.#client,
      session: this.#session,
      time: this.#time,
      pulse: () => ({
        orders: [...this.#orders].map((order) => order.pulse),
        free: this.#free,
        diskFree: this.#diskFree(),
        drains: this.#drains !== null,
      }),
      isNeeded: () => this.#orders.size > 0 || !this.#isPolling,
      onAnswer: (beaten, sentAt) => this.#onBeaten(beaten, sentAt),
    })
    this.#deps = {
      client: this.#client,
      persist: this.#session.persist,
      time: this.#time,
      say,
      secrets: new Secrets(config.secrets),
      limits: () => this.#session.limits,
      watchdogs: options.watchdogs ?? watchdogLimits,
      diskFree: () => this.#diskFree(),
      trash: this.#trash,
      setToday: { '--git-folders': config.gitFolders.join(',') },
      beat: () => this.#beats.now(this.#leaving.signal),
      leaving: this.#leaving.signal,
    }
    this.#left = this.#spool.left().map((spool) => this.#hold(spool))
    this.ended = this.#run().finally(release)
  }

  drain(exitCode: number = exitCodes.done): void {
    if (this.#isAskedToLeave) return
    this.#isAskedToLeave = true
    this.#drains = exitCode
    const working = this.#working.length
    this.#options.say(working ? `Taking no more work; finishing ${spoken(working)}.` : 'Leaving.')
    // The server does not know this start yet: there is nothing to finish or report.
    if (this.#client.session === null) {
      this.#end(null)
      return
    }
    // With work at hand an open poll may end in an order, which is then worked on; without, it is not waited for.
    if (this.#orders.size === 0) this.#pollOver.abort()
    void this.#time
      .wait(this.#config.drainSeconds, this.#leaving.signal)
      .then(() => this.#leaving.signal.aborted || this.handBack())
    this.#takeNoMore(exitCode)
  }

  /** What it has is finished, however long that takes; then it leaves. */
  #takeNoMore(exitCode: number): void {
    this.#drains = exitCode
    this.#change()
    this.#beats.wake()
  }

  handBack(): void {
    this.#drains ??= exitCodes.done
    const working = this.#working
    if (working.length > 0) this.#options.say(`Handing back ${spoken(working.length)}.`)
    this.#end(null)
  }

  async #run(): Promise<{ exitCode: number; why: string | null }> {
    const leaving = this.#leaving.signal
    const parts: Promise<unknown>[] = []
    try {
      await Promise.race([this.#session.register(), this.#over.promise])
      if (!leaving.aborted) {
        this.#options.say(`Registered as ${this.#config.name} at ${this.#config.url.host}.`)
        parts.push(this.#beats.run(leaving), this.#tidy(leaving))
        const asking = AbortSignal.any([leaving, this.#pollOver.signal])
        parts.push(acquireOrders(this.#acquiring(), asking))
        void this.#drained().then((exitCode) => this.#over.resolve({ exitCode, why: null }))
        if (this.#config.ephemeral) void this.#leaveIfIdle(leaving)
      }
    } catch (error) {
      // Whatever made it impossible has said so through `#end`; anything else is ours.
      if (!leaving.aborted) this.#over.reject(error)
    }
    try {
      return await this.#over.promise
    } finally {
      await this.#leave(parts)
    }
  }

  /** So that a machine that was started for an order which another has taken costs no more than this. */
  async #leaveIfIdle(leaving: AbortSignal): Promise<void> {
    const { idleSeconds } = this.#config
    await this.#time.wait(idleSeconds, leaving)
    if (leaving.aborted || this.#drains !== null) return
    this.#options.say(`No order came within ${idleSeconds} seconds.`)
    this.drain()
  }

  async #leave(parts: Promise<unknown>[]): Promise<void> {
    const { exitCode } = await this.#over.promise.catch(() => ({ exitCode: exitCodes.failed }))
    const why = new Stopped('The runner leaves.', { how: 'abort', by: 'runner' })
    for (const order of this.#orders) order.stop(why)
    this.#leaving.abort()
    this.#change()
    await Promise.all([...this.#ongoing])
    await Promise.allSettled(parts)
    const isHeard = exitCode === exitCodes.done || exitCode === exitCodes.upgrade
    // Told once: a server that does not hear it finds out on its own.
    if (isHeard && this.#client.session !== null) await this.#client.leave().catch(() => undefined)
    this.#client.close()
    await Promise.all(this.#cleaning)
  }

  /** Ends without waiting. A sentence says what went wrong; null: it was asked to. */
  #end(why: ExitError | null): void {
    this.#over.resolve({
      exitCode: why?.exitCode ?? this.#drains ?? exitCodes.done,
      why: why?.message ?? null,
    })
    if (this.#client.session === null) this.#leaving.abort()
  }

  #acquiring(): Parameters<typeof acquireOrders>[0] {
    return {
      client: this.#client,
      session: this.#session,
      spool: this.#spool,
      time: this.#time,
      say: this.#options.say,
      room: (signal) => this.#room(signal),
      onPolling: (isPolling) => {
        this.#isPolling = isPolling
        if (!isPolling) this.#change()
      },
      onHint: () => void this.#beats.now(this.#leaving.signal),
      take: (acquired, ask) => this.#take(acquired, ask),
    }
  }

  /** How many orders could be begun; waits until it is at least one, or never will be. */
  async #room(signal: AbortSignal): Promise<number | null> {
    while (!signal.aborted && this.#drains === null) {
      this.#changed = Promise.withResolvers()
      const free = this.#free
      if (free > 0 && !this.#isPaused && this.#hasDisk()) return free
      const rest = new AbortController()
      await Promise.race([
        this.#changed.promise,
        this.#time.wait(this.#session.intervals.beatSeconds, AbortSignal.any([signal, rest.signal])),
      ])
      rest.abort()
    }
    return null
  }

  get #working(): HeldOrder[] {
    return [...this.#orders].filter((order) => order.isWorking)
  }

  get #free(): number {
    return this.#drains !== null || this.#isPaused
      ? 0
      : Math.max(0, this.#config.slots - this.#working.length)
  }

  #hasDisk(): boolean {
    const free = this.#diskFree()
    const isEnough =
      (free === null || free >= diskNeededBytes) && ![...this.#orders].some((order) => order.isStuck)
    if (!isEnough && !this.#isDiskSaid)
      this.#options.say(
        `The disk of ${this.#config.data} is almost full. No work is taken until 1 GB is free.`,
      )
    if (isEnough && this.#isDiskSaid) this.#options.say('There is enough disk space again.')
    this.#isDiskSaid = !isEnough
    return isEnough
  }

  #diskFree(): number | null {
    if (this.#options.diskFree) return this.#options.diskFree()
    try {
      const { bavail, bsize } = statfsSync(this.#config.data)
      return bavail * bsize
    } catch {
      return null
    }
  }

  #hold(spool: ConstructorParameters<typeof HeldOrder>[0], traceparent?: string): HeldOrder {
    return new HeldOrder(spool, markOf(this.#instance, spool), this.#deps, traceparent)
  }

  #take({ ref, order }: Acquiring, ask: string): void {
    if (this.#spool.has(ref)) return
    const traceparent = 'traceparent' in order ? order.traceparent : undefined
    const held = this.#hold(this.#spool.take({ ask, ...ref, order }), traceparent)
    if ('unreadable' in order) {
      const error = `This runner cannot read the order (${order.unreadable}). Install the runner that belongs to the server.`
      const alive = this.#beats.now(this.#leaving.signal)
      this.#follow(
        held,
        alive.then(() => held.end({ type: 'failed', failureClass: 'persistent', error })),
      )
    } else {
      held.say(`${subjectOf(order)}.`)
      this.#follow(held, held.work(order, this.#options.work))
    }
    // One that was asked to leave ends as it was told then.
    if (this.#config.ephemeral) this.#takeNoMore(this.#drains ?? exitCodes.done)
  }

  readonly #ongoing = new Set<Promise<void>>()

  #follow(held: HeldOrder, going: Promise<void>): void {
    this.#orders.add(held)
    const done = going
      .catch((error) => held.say(`${(error as Error).stack}`))
      .finally(() => {
        this.#orders.delete(held)
        this.#ongoing.delete(done)
        this.#change()
        this.#clean(this.#emptyTrash())
      })
    this.#ongoing.add(done)
  }

  /** Removals under way. Only the exit waits for them, so that the next start finds the folder at rest. */
  readonly #cleaning = new Set<Promise<void>>()

  #clean(going: Promise<void>): void {
    const done = going.catch(() => {}).finally(() => this.#cleaning.delete(done))
    this.#cleaning.add(done)
  }

  /** What the server says of the orders that were named when registering. */
  #settle(holds: Registered['holds']): void {
    const verdictOn = ({ run, fence }: HeldOrder) =>
      holds.find((told) => told.run === run && told.fence === fence)?.verdict ?? 'stop'
    for (const order of this.#orders)
      if (verdictOn(order) === 'stop')
        order.stop(new Stopped('The server no longer wants it.', { how: 'abort', by: 'server' }))
    for (const order of this.#left.splice(0)) {
      const { state } = order.held
      if (verdictOn(order) === 'stop') {
        // What was spent is told, no matter who works on it now.
        if (order.owes) this.#follow(order, order.end(null))
        else this.#clean(order.drop())
      } else if (state === 'reported') this.#follow(order, order.end(null))
      else
        this.#follow(
          order,
          order.end({
            type: 'failed',
            failureClass: 'transient',
            error: 'The runner was stopped while it was working, and has started again.',
          }),
        )
    }
  }

  #onBeaten({ orders, commands, pollSeconds, beatSeconds }: Beaten, sentAt: number): void {
    this.#session.intervals = {
      ...this.#session.intervals,
      pollSeconds,
      beatSeconds: Math.max(1, beatSeconds),
    }
    for (const told of orders) {
      const order = [...this.#orders].find(({ run, fence }) => run === told.run && fence === told.fence)
      if (told.verdict === 'go_on') order?.wanted(sentAt)
      else
        order?.stop(
          new Stopped(told.reason ?? 'The server asked for it.', { how: told.how ?? 'cancel', by: 'server' }),
        )
    }
    for (const command of commands) this.#obey(command)
  }

  #obey(command: Beaten['commands'][number]): void {
    const { say } = this.#options
    if (command === 'drain') this.drain()
    if (command === 'upgrade') {
      say('The server asks for a newer runner.')
      this.drain(exitCodes.upgrade)
    }
    const isPaused = command === 'pause' || (command !== 'resume' && this.#isPaused)
    if (isPaused !== this.#isPaused) say(isPaused ? 'Paused: taking no work.' : 'Resumed.')
    this.#isPaused = isPaused
    this.#change()
  }

  /** When nothing is left after it was asked to leave. */
  async #drained(): Promise<number> {
    while (this.#drains === null || this.#orders.size > 0 || this.#isPolling) {
      const changed = Promise.withResolvers<void>()
      this.#waiting.push(changed.resolve)
      await changed.promise
    }
    return this.#drains
  }

  readonly #waiting: (() => void)[] = []

  #change(): void {
    this.#changed.resolve()
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  async #tidy(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#spool.tidy(this.#time.date())
      await this.#emptyTrash()
      await this.#time.wait(tidySeconds, signal)
      if (signal.aborted) return
      await this.#options.tidy?.().catch((error) => this.#options.say(`Cleaning up failed: ${error.message}`))
    }
  }

  async #emptyTrash(): Promise<void> {
    for (const left of await this.#trash.empty())
      this.#options.say(`${left} could not be removed. Nothing depends on it; remove it manually.`)
  }
}

const subjectOf = (order: AnyOrder) =>
  order.job === 'survey'
    ? `${order.checks ? 'main_check' : 'survey'} of ${order.team}`
    : `${order.job === 'stage' ? order.stage : order.job} ${order.story.key}`

const spoken = (count: number) => (count === 1 ? 'one order' : `${count} orders`)
