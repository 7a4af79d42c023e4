import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { AnyOrder, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { writeAtomically } from '../disk/write-atomically.ts'
import { Journal } from './journal.ts'

export type Usage = Extract<RunnerEvent, { type: 'usage' }>

/** A report at its number. A number that stands twice counts as what was written last: the server refused the first. */
interface Report {
  number: number
  event: RunnerEvent
  /** The reservation whose place it takes. In the same line: after a crash there are both or neither. */
  settles?: number
}

/** What a call can cost at most, written before it is made; one that has cost nothing; or how the order ends. */
type Pending = { id: number; most: Usage } | { free: number } | { ending: RunnerEvent }

interface Chunk {
  number: number
  lines: string[]
}

interface Acked {
  /** The numbers that the server wants next. */
  reportNext: number
  logNext: number
  /** When the order was over and nothing was left to send; null until then. */
  closedAt: string | null
}

/** What ends an order: after one of these the stage is over, and nothing but the log may still be on its way. */
const endings: readonly RunnerEvent['type'][] = [
  'plan_ready',
  'scope_change_proposed',
  'spec_failed',
  'question_asked',
  'change_ready',
  'gates_ran',
  'finished',
  'main_checked',
  'surveyed',
  'failed',
]
export const isEnding = ({ type }: RunnerEvent) => endings.includes(type)

/** Everything that is to be told about one order: on disk before it is on its way, and there until it has arrived. */
export class OrderSpool {
  readonly folder: string
  readonly run: string
  readonly fence: number
  readonly #reports: Journal<Report>
  readonly #log: Journal<Chunk>
  readonly #pending: Journal<Pending>
  readonly #byNumber = new Map<number, RunnerEvent>()
  /** What open calls can still cost, until their usage is known. */
  readonly #open = new Map<number, Usage>()
  #reservations = 0
  /** Told, and not yet a report: what was spent is to stand before it. */
  #ending: RunnerEvent | null = null
  #acked: Acked

  constructor(folder: string, { run, fence }: { run: string; fence: number }) {
    this.folder = folder
    this.run = run
    this.fence = fence
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.#reports = new Journal(path.join(folder, 'reports.ndjson'), { isSynced: true })
    this.#log = new Journal(path.join(folder, 'log.ndjson'), { isSynced: false })
    this.#pending = new Journal(path.join(folder, 'pending.ndjson'), { isSynced: true })
    this.#readPending()
    for (let at = 0; at < this.#reports.length; at += 1) {
      const { number, event, settles } = this.#reports.at(at)
      this.#byNumber.set(number, event)
      if (settles !== undefined) this.#open.delete(settles)
    }
    this.#acked = readAcked(path.join(folder, 'acked.json'))
    // The process that has told how it ends did not come to write it.
    if (this.#ending) this.conclude()
    // A crash may have taken the last lines of the log, which are not waited for: their numbers stay taken.
    this.#logOffset = Math.max(0, this.#acked.logNext - 1 - this.#log.length)
  }

  /** What was lost of the log before the chunks that are here. */
  readonly #logOffset: number

  get reportNext(): number {
    return this.#acked.reportNext
  }
  get logNext(): number {
    return this.#acked.logNext
  }
  /** The last number that was given. */
  get reported(): number {
    return this.#byNumber.size
  }
  get logged(): number {
    return this.#log.length + this.#logOffset
  }
  get closedAt(): Date | null {
    return this.#acked.closedAt === null ? null : new Date(this.#acked.closedAt)
  }
  /** Whether it has been told how it ends. */
  get isEnded(): boolean {
    return this.#ending !== null || this.isConcluded
  }
  get isConcluded(): boolean {
    const last = this.#byNumber.get(this.reported)
    return last !== undefined && isEnding(last)
  }
  get isDelivered(): boolean {
    return this.reportNext > this.reported && this.logNext > this.logged
  }
  get isStuck(): boolean {
    return this.#reports.isStuck || this.#log.isStuck || this.#pending.isStuck
  }
  /** Whether something was spent of which the server may not have heard. */
  get owes(): boolean {
    if (this.#open.size > 0) return true
    for (let number = this.reportNext; number <= this.reported; number += 1)
      if (this.eventAt(number).type === 'usage') return true
    return false
  }

  /** What ends the order is kept until it is concluded. */
  report(event: RunnerEvent): void {
    if (isEnding(event)) {
      this.#ending = event
      this.#pending.add({ ending: event })
    } else this.#put({ number: this.reported + 1, event })
  }

  /** Nothing more will be known: what is still open has cost all that it could, and how the order ends comes last. */
  conclude(): void {
    for (const [id, most] of [...this.#open]) this.settle(id, most)
    if (this.#ending && !this.isConcluded) this.#put({ number: this.reported + 1, event: this.#ending })
  }

  /** Instead of one that the server will never take. */
  replace(number: number, event: RunnerEvent): void {
    this.#put({ number, event })
  }

  eventAt(number: number): RunnerEvent {
    return this.#byNumber.get(number)!
  }

  /** On disk when this returns, unless it is stuck. */
  reserve(most: Usage): number {
    this.#reservations += 1
    this.#open.set(this.#reservations, most)
    this.#pending.add({ id: this.#reservations, most })
    return this.#reservations
  }

  isReserved(id: number): boolean {
    return this.#open.has(id)
  }

  /** What it did cost in place of what it could have; null: nothing. Only the first time counts. */
  settle(id: number, cost: Usage | null): void {
    if (!this.#open.delete(id)) return
    if (cost) this.#put({ number: this.reported + 1, event: cost, settles: id })
    else this.#pending.add({ free: id })
  }

  log(lines: string[]): void {
    this.#log.add({ number: this.logged + 1, lines })
  }

  chunkAt(number: number): Chunk {
    const at = number - 1 - this.#logOffset
    // The server wants what is no longer here: it is told so, and the numbers go on.
    if (at < 0) return { number, lines: ['(These lines were lost when the machine went down.)'] }
    return { number, lines: this.#log.at(at).lines }
  }

  acknowledgeReports(next: number): void {
    this.#acknowledge({ reportNext: within(next, this.reported) })
  }

  acknowledgeLog(next: number): void {
    this.#acknowledge({ logNext: within(next, this.logged) })
  }

  close(at: Date): void {
    if (this.#acked.closedAt === null) this.#acknowledge({ closedAt: at.toISOString() })
  }

  flush(): void {
    this.#reports.flush()
    this.#log.flush()
    this.#pending.flush()
  }

  release(): void {
    this.#reports.close()
    this.#log.close()
    this.#pending.close()
  }

  #readPending(): void {
    for (let at = 0; at < this.#pending.length; at += 1) {
      const pending = this.#pending.at(at)
      if ('ending' in pending) this.#ending = pending.ending
      else if ('free' in pending) this.#open.delete(pending.free)
      else {
        this.#open.set(pending.id, pending.most)
        this.#reservations = pending.id
      }
    }
  }

  #put(report: Report): void {
    this.#byNumber.set(report.number, report.event)
    this.#reports.add(report)
  }

  #acknowledge(more: Partial<Acked>): void {
    const acked = { ...this.#acked, ...more }
    if (JSON.stringify(acked) === JSON.stringify(this.#acked)) return
    this.#acked = acked
    try {
      writeAtomically(path.join(this.folder, 'acked.json'), JSON.stringify(acked))
    } catch {
      // A full disk: the server says again what it wants.
    }
  }
}

const within = (next: number, given: number) => Math.max(1, Math.min(next, given + 1))

function readAcked(file: string): Acked {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return { reportNext: 1, logNext: 1, closedAt: null }
  }
}

/** What was acquired, with the ask that it answered. */
export interface SpooledOrder {
  ask: string
  run: string
  fence: number
  order: AnyOrder | { unreadable: string }
}
