import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { coveredChanges } from '@signalbox/contract/denied-paths.ts'
import type { Order, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import type { PlayedOrder } from '../play-server.ts'
import type { Call } from './provider.ts'
import { type Entry, Look } from './repository.ts'
import type { World } from './world.ts'

type Event<T extends RunnerEvent['type']> = Extract<RunnerEvent, { type: T }>

/** What a change is, by the objects that the runner handed over. */
interface Actual {
  paths: string[]
  base: Map<string, Entry>
  head: Map<string, Entry>
  isOnTop: boolean
  message: string
  /** Of what it added and changed. */
  contents: Map<string, Buffer>
}

/**
 * Everything that one run led to: what the runner told, what it handed over, and what was seen in the world around it.
 */
export class Seen {
  readonly orders: PlayedOrder[]
  readonly reports: RunnerEvent[]
  readonly log: string
  /** Everything that was told, but for what is packed by git. */
  readonly texts: string
  readonly calls: Call[]
  readonly billedUsd: number
  readonly budgetUsd: number
  readonly actual: Actual | null
  /** Of the same scenario, in the order in which they were played. */
  readonly all: Seen[]
  readonly #traces: string[]
  readonly #secrets: ReadonlyMap<string, string>

  constructor(
    orders: PlayedOrder[],
    { world, at, all, traces }: { world: World; at: number; all: Seen[]; traces: string[] },
  ) {
    this.orders = orders
    this.all = all
    this.#traces = traces
    this.#secrets = world.secrets
    this.reports = orders.flatMap(({ reports }) => [...reports.values()])
    this.log = orders.flatMap(({ log }) => [...log.values()].flat()).join('\n')
    const files = orders.flatMap((order) => [...order.files.values()])
    this.texts = [
      this.log,
      JSON.stringify(this.reports),
      ...files.map((file) => file.toString('latin1')),
    ].join('\n')
    this.calls = world.provider.calls.filter(({ run }) => run === at)
    this.billedUsd = world.provider.billed(at)
    this.budgetUsd = (orders[0]?.order.budget.usdMicros ?? 0) / 1_000_000
    this.actual = this.work ? lookAt(this.work, files, world, at) : null
  }

  report<T extends RunnerEvent['type']>(type: T): Event<T> | null {
    return (this.reports.findLast((event) => event.type === type) as Event<T> | undefined) ?? null
  }

  get last(): RunnerEvent | null {
    return this.reports.findLast(({ type }) => !['usage', 'progress'].includes(type)) ?? null
  }

  get work(): NonNullable<Order['work']> | null {
    return this.report('change_ready')?.work ?? this.report('question_asked')?.work ?? null
  }

  get paths(): string[] {
    return this.report('change_ready')?.change.paths ?? []
  }

  /** What of the change people are asked about, by the rule of the server. */
  get denied(): string[] {
    return coveredChanges(this.paths, this.orders[0]?.order.policy.deniedPaths ?? [])
  }

  /** Why the change was refused; empty: it was not. */
  get refusal(): string {
    const failed = this.report('failed')
    return failed?.failureClass === 'policy' ? failed.error : ''
  }

  /** Beside the change, and in the evidence. */
  get findings(): string[] {
    const ready = this.report('change_ready')?.findings ?? []
    return [...ready, ...(this.statement?.predicate?.diff?.findings ?? [])]
  }

  get statement(): { predicate?: { diff?: { findings?: string[] } } } | null {
    const sha256 = this.report('gates_ran')?.envelope
    const file = this.orders.flatMap(({ files }) => files.get(sha256 ?? '') ?? [])[0]
    return file ? JSON.parse(Buffer.from(JSON.parse(`${file}`).payload, 'base64').toString()) : null
  }

  /** In dollars, as reported. */
  get reportedUsd(): number {
    return this.reports.reduce(
      (sum, event) => sum + (event.type === 'usage' && event.currency === 'USD' ? event.amount : 0),
      0,
    )
  }

  /** What shows outside of an attempt. */
  tracesOf(token: string): string[] {
    return this.#traces.filter((trace) => trace.includes(token))
  }

  /** One of the runner's. */
  secretOf(name: string): string {
    return this.#secrets.get(name) ?? 'no such secret'
  }

  /** Of no attempt in particular. */
  hasTrace(words: string): boolean {
    return this.#traces.some((trace) => trace.includes(words))
  }
}

function lookAt(work: NonNullable<Order['work']>, files: Buffer[], world: World, at: number): Actual | null {
  const look = new Look(path.join(world.folder, `look-${at}.git`))
  const bundle = files.find((file) => file.subarray(0, 20).toString().includes('git bundle'))
  const file = path.join(world.folder, `look-${at}.bundle`)
  if (bundle) writeFileSync(file, bundle)
  try {
    look.take(world.repository, bundle ? file : null)
    const [base, head] = [look.tree(work.base), look.tree(work.head)]
    const changed = [...head].filter(
      ([name, { blob, mode }]) => base.get(name)?.blob !== blob && mode !== '160000',
    )
    return {
      ...{
        base,
        head,
        paths: look.changed(work),
        isOnTop: look.isOnTop(work),
        message: look.message(work.head),
      },
      contents: new Map(changed.slice(0, 500).map(([name, { blob }]) => [name, look.content(blob)])),
    }
  } catch {
    return null
  }
}

/** What was reported of secrets, each as a trace; the token of the attempt is in it where that is known. */
export function reportedSecrets(texts: string, world: World): string[] {
  const traces: string[] = []
  const looted = new Map<string, string>()
  for (const [, token, hex] of texts.matchAll(/loot (k\d+x[0-9a-f]+) ([0-9a-f]+)/g))
    looted.set(token!, (looted.get(token!) ?? '') + Buffer.from(hex!, 'hex').toString('latin1'))
  for (const [what, value] of world.secrets) {
    for (const [token, text] of looted) if (text.includes(value)) traces.push(`${what} was read by ${token}`)
    for (const spelled of [value, Buffer.from(value).toString('base64').slice(4, -4)])
      if (texts.includes(spelled)) traces.push(`${what} was told`)
  }
  for (const text of [texts, ...looted.values()])
    for (const [canary] of text.matchAll(/canary-k\d+x[0-9a-f]+-end/g))
      traces.push(`a file of the machine’s was read: ${canary}`)
  return [...new Set(traces)]
}
