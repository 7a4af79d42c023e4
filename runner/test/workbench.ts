import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type AnyOrder, type Order, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { Check } from 'typebox/value'
import { scriptedAgent } from '../agents/scripted.ts'
import type { Box } from '../box/box.ts'
import { cleanIn } from '../box/clean.ts'
import { sketched } from '../conformance/sketched-order.ts'
import { Trash } from '../disk/trash.ts'
import { BaseRuns } from '../gates/base-runs.ts'
import { Stores } from '../git/store.ts'
import { openIdentity } from '../identity/identity.ts'
import { Secrets } from '../orders/mask.ts'
import { type OrderContext, type Usage, WorkFailed } from '../orders/order-context.ts'
import { performOrderIn } from '../work/perform-order.ts'
import type { Workshop } from '../work/workshop.ts'
import { plainGit, temporaryFolder, write } from './origin.ts'

export const deniedPaths = ['.kanman/acceptance/**', 'infra/**', '**/*.pem']

/** A step of a script; docs/manual/agents/scripted.md has its words. */
export type Step = Record<string, unknown>
/** Each purpose with its rounds. */
export type Plays = Partial<Record<'plan' | 'spec' | 'implement' | 'propose' | 'review', Step[][]>>

/** The result of an order, as the server would hear it. */
export interface Came {
  reports: RunnerEvent[]
  log: string
  /** Null: it ended by a report of its own. */
  failed: WorkFailed | null
}

type OnLine = (line: string, context: RecordedOrder) => void

/** A repository that someone else owns, a workshop around a box, and orders that are worked without any server. */
export class Workbench {
  readonly folder: string
  readonly origin: string
  readonly shop: Workshop
  readonly secrets = new Secrets()
  /** What was uploaded, by its hash. */
  readonly files = new Map<string, Buffer>()
  readonly base: string
  readonly #script: string
  #orders = 0

  constructor(t: { after(done: () => void): void }, box: Box, content: Record<string, string | Buffer>) {
    this.folder = temporaryFolder(t)
    this.origin = path.join(this.folder, 'origin.git')
    const seed = path.join(this.folder, 'seed')
    for (const made of [seed, this.origin]) mkdirSync(made)
    plainGit(this.origin, ['init', '--quiet', '--bare', '--initial-branch=main'])
    plainGit(seed, ['init', '--quiet', '--initial-branch=main'])
    write(seed, content)
    plainGit(seed, ['add', '--all', '--force'])
    plainGit(seed, ['commit', '--quiet', '-m', 'First'])
    plainGit(seed, ['push', '--quiet', this.origin, 'main'])
    this.base = plainGit(seed, ['rev-parse', 'HEAD'])
    rmSync(seed, { recursive: true })
    this.#script = path.join(this.folder, 'script.json')
    const data = path.join(this.folder, 'data')
    const stores = new Stores(path.join(data, 'repositories'), {
      allow: [this.folder],
      now: () => new Date(),
      box,
    })
    this.shop = {
      agents: [scriptedAgent({ file: this.#script })],
      box,
      ownBox: box,
      images: null,
      trash: new Trash(path.join(data, 'trash'), cleanIn(box)),
      upstreams: {},
      signInOf: () => null,
      prices: [],
      registries: [],
      toolchains: [],
      baseRuns: new BaseRuns(path.join(data, 'gates')),
      storeOf: async ({ repository, run }) => (await stores.open(repository.address)).forRun(run),
      data,
      modelFor: () => null,
      identity: openIdentity(data),
      version: '0.0.0',
      tidy: async () => {},
    }
  }

  order(more: Partial<Order> = {}): Order {
    const order = sketched({ rehearsal: [] }, 0)
    return {
      ...order,
      story: { ...order.story, title: 'Greet people', description: 'They like that.' },
      policy: { ...order.policy, deniedPaths },
      repository: { name: 'halden/checkout-web', address: this.origin, branch: 'main' },
      base: null,
      ...more,
    }
  }

  /** Works an order to its end, with an agent that plays this. `onLine` hears the log while it is printed. */
  async work(
    order: AnyOrder,
    plays: Plays = {},
    { onLine = () => {}, box = this.shop.box }: { onLine?: OnLine; box?: Box } = {},
  ): Promise<Came> {
    writeFileSync(this.#script, JSON.stringify({ stories: { '*': plays } }))
    const folder = path.join(this.folder, `order-${++this.#orders}`)
    mkdirSync(folder)
    const context = new RecordedOrder(folder, this.files, this.secrets, onLine)
    let failed: WorkFailed | null = null
    try {
      await performOrderIn({ ...this.shop, box })(order, context)
    } catch (error) {
      if (!(error instanceof WorkFailed) && error !== context.cancelled.reason) throw error
      if (error instanceof WorkFailed) failed = error
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
    return { reports: context.reports, log: context.lines.join('\n'), failed }
  }

  text(sha256: string): string {
    return this.files.get(sha256)!.toString()
  }

  git(...args: string[]): string {
    return plainGit(this.origin, args)
  }
}

/** Notes what is told. Secrets are masked as the runner masks them. */
export class RecordedOrder implements OrderContext {
  readonly folder: string
  readonly mark = { SIGNALBOX_ORDER: 'run-aaa1/1' }
  readonly reports: RunnerEvent[] = []
  readonly lines: string[] = []
  readonly #files: Map<string, Buffer>
  readonly #secrets: Secrets
  readonly #onLine: OnLine
  readonly #cancel = new AbortController()
  readonly #abort = new AbortController()

  constructor(folder: string, files: Map<string, Buffer>, secrets: Secrets, onLine: OnLine) {
    this.folder = folder
    this.#files = files
    this.#secrets = secrets
    this.#onLine = onLine
  }

  get cancelled(): AbortSignal {
    return this.#cancel.signal
  }

  get aborted(): AbortSignal {
    return this.#abort.signal
  }

  stop(why: Error): void {
    this.#cancel.abort(why)
  }

  phase(): void {}

  took(): void {}

  report(event: RunnerEvent): void {
    if (event.type !== 'usage') this.cancelled.throwIfAborted()
    if (!Check(RunnerEvent, event)) throw new Error(`The server would refuse ${JSON.stringify(event)}.`)
    this.reports.push(this.#secrets.masked(event))
  }

  reserve(): (cost: Usage | null) => void {
    return (cost) => {
      if (cost) this.report(cost)
    }
  }

  print(line: string): void {
    this.lines.push(this.#secrets.maskedText(line))
    this.#onLine(line, this)
  }

  async keep(file: string | Buffer): Promise<string> {
    const bytes = typeof file === 'string' ? readFileSync(file) : file
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    this.#files.set(sha256, bytes)
    return sha256
  }

  async fetchFile(sha256: string): Promise<string> {
    const file = path.join(this.folder, sha256)
    const bytes = this.#files.get(sha256)
    if (!bytes) throw new WorkFailed(`There is no file ${sha256}.`, 'persistent')
    writeFileSync(file, bytes)
    return file
  }

  async credential() {
    return { address: path.join(path.dirname(this.folder), 'origin.git'), header: null, expiresAt: null }
  }

  async mayPush(): Promise<void> {}

  watchTurn() {
    return { onActivity: () => {}, end: () => {} }
  }

  hide(secret: string): void {
    this.#secrets.add(secret)
  }
}

/** The one report of this kind. */
export function reported<T extends RunnerEvent['type']>(
  { reports, failed, log }: Came,
  type: T,
): Extract<RunnerEvent, { type: T }> {
  const found = reports.find((event) => event.type === type)
  if (!found)
    throw new Error(
      `No ${type} was reported, but ${reports.map((event) => event.type).join(', ')}; ${failed?.message}\n${log}`,
    )
  return found as Extract<RunnerEvent, { type: T }>
}
