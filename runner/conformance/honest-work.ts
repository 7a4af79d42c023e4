import { execFile } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { rawKey, seal } from '@signalbox/contract/dsse.ts'
import type { Evidence, Gate } from '@signalbox/contract/run.ts'
import {
  payloadType,
  type RunEvidence,
  runEvidenceType,
  statementType,
} from '@signalbox/contract/runner/evidence.ts'
import type { Credential, Order, PinnedSpec, RunnerEvent, Work } from '@signalbox/contract/runner/messages.ts'
import { hashOf, isolationOf, type Reply, type ScriptedRunner } from './scripted-runner.ts'

type Of<T extends RunnerEvent['type']> = Extract<RunnerEvent, { type: T }>

/** A commit that was handed in, and what can be said of it. */
export interface Made {
  work: Work
  change: Evidence['changes']
  diff: string
}

export const passed: Gate[] = [{ name: 'test', result: 'passed', summary: 'All passed' }]

export const agent = { name: 'scripted', via: 'scripted', version: null } as const
const spec = 'test -e done\n'

/** The run asks a person, or has ended, before it came so far. */
export class NotReached extends Error {}

/**
 * What a runner does for a run, by hand and with real git: it makes a commit, hands it in as a bundle, signs its
 * evidence and pushes. Each step is apart, so that a lie can take the place of one.
 */
export class HonestWork {
  readonly runner: ScriptedRunner
  order: Order
  /** What was handed in, once the change is ready. */
  made: Made | null = null
  base = ''
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'kit-work-'))
  readonly #next: (run: string) => Promise<Order | null>
  #count = 0
  #told = 0

  /** `next` waits for the following order of a run. */
  constructor(runner: ScriptedRunner, order: Order, next: (run: string) => Promise<Order | null>) {
    this.runner = runner
    this.order = order
    this.#next = next
  }

  /** Where git keeps what it makes; nothing is left of it. */
  end(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** A change that no other run makes. */
  get greeting(): Record<string, string> {
    return { 'kit.txt': `Hello from ${this.order.run}.\n` }
  }

  /** Does everything truthfully until the run is in this stage, and an order for that is there. */
  async to(stage: Order['stage']): Promise<void> {
    while (this.order.stage !== stage) {
      await this.#well(await this.#stageDone())
      await this.follow()
    }
    if (stage === 'implementing') await this.begin()
  }

  /** What was told has ended the order: on with the next one of the run. */
  async follow(): Promise<void> {
    const { run, stage } = this.order
    const next = await this.#next(run)
    if (!next) throw new NotReached(`After ${stage} the run did not go on without a person.`)
    this.order = next
    this.#told = 0
  }

  async #stageDone(): Promise<RunnerEvent> {
    if (this.order.stage === 'planning') return plan
    if (this.order.stage === 'implementing') {
      await this.begin()
      return this.ready(await this.done())
    }
    if (!this.made) throw new NotReached(`The run is in ${this.order.stage} already.`)
    return this.measured(this.made)
  }

  /** The base is fetched, the agent is about to start, and the spec is pinned where there has to be one. */
  async begin(): Promise<void> {
    await this.fetch()
    await this.#well({ type: 'begun', base: this.base, isolation: isolationOf.box, agent })
    if (!this.order.policy.acceptanceRequired || this.order.spec) return
    const pinned = await this.pinned()
    await this.#well({ type: 'spec_pinned', spec: pinned, summary: 'It fails, as it should.' })
    this.order = { ...this.order, spec: pinned }
  }

  async fetch(): Promise<void> {
    await this.#git(['init', '--quiet', '--bare', '--template='])
    const { address, options } = await this.#wayIn('read')
    await this.#git([...options, 'fetch', '--quiet', address, `${this.order.repository.branch}:base`])
    this.base = this.order.base ?? this.#ref('base')
  }

  async pinned(folder = this.specFolder): Promise<PinnedSpec> {
    const files = JSON.stringify({ 'kit.sh': Buffer.from(spec).toString('base64') })
    return { files: await this.keep(files), folder, command: `sh ${folder}/kit.sh` }
  }

  get specFolder(): string {
    return `.kanman/acceptance/${this.order.story.key}`
  }

  get branch(): string {
    return `signalbox/${this.order.run}/${this.order.attempt}`
  }

  tell(event: RunnerEvent | Record<string, unknown>): Promise<Reply> {
    this.#told += 1
    return this.runner.report(this.order, [this.#told, event as Record<string, unknown>])
  }

  async keep(content: string | Buffer): Promise<string> {
    const bytes = Buffer.from(content)
    const { status } = await this.runner.keep(this.order, bytes)
    if (status >= 300) throw new Error(`A file was not kept: ${status}.`)
    return hashOf(bytes)
  }

  /** The change of this run, made once. */
  async done(): Promise<Made> {
    this.made ??= await this.make(this.greeting)
    return this.made
  }

  /** A commit of these files, and of the spec where one is pinned, handed in. */
  async make(files: Record<string, string>, from = this.base): Promise<Made> {
    const pinned = this.order.spec ? { [`${this.specFolder}/kit.sh`]: spec } : {}
    const head = await this.commit({ ...pinned, ...files }, from)
    return this.handIn(head)
  }

  async commit(files: Record<string, string>, from = this.base): Promise<string> {
    this.#count += 1
    const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`
    const commands = [
      `commit refs/heads/work-${this.#count}\n`,
      `committer Kit <kit@example.com> ${1_700_000_000 + this.#count} +0000\n`,
      ...[data('A change\n'), `from ${from}\n`],
      ...Object.entries(files).map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`),
    ]
    await this.#git(['fast-import', '--quiet'], commands.join(''))
    return this.#ref(`work-${this.#count}`)
  }

  /** Uploads what leads to a commit, and says what of it there is to say. */
  async handIn(head: string, base = this.base): Promise<Made> {
    const counted = (await this.#git(['diff-tree', '-r', '--no-renames', '--numstat', base, head]))
      .split('\n')
      .map((line) => line.split('\t') as [string, string, string])
      .filter(([, , name]) => name && !name.startsWith(this.specFolder))
    const sum = (at: 0 | 1) => counted.reduce((total, line) => total + (Number(line[at]) || 0), 0)
    return {
      work: { base, head, bundle: await this.keep(await this.bundle(base, head)) },
      change: {
        ...{ files: counted.length, additions: sum(0), deletions: sum(1) },
        paths: counted.map(([, , name]) => name),
      },
      diff: await this.keep(await this.#git(['diff-tree', '-r', '-p', base, head])),
    }
  }

  /** All that came before is in it: more than is asked for, and as good. */
  async bundle(base: string, head: string): Promise<Buffer> {
    const objects = (await this.#git(['rev-list', '--objects', head])).split('\n')
    const ids = objects.map((line) => `${line.split(' ')[0]}\n`)
    const pack = await this.#bytes(['pack-objects', '--stdout', '--quiet'], ids.join(''))
    return Buffer.concat([Buffer.from(`# v2 git bundle\n-${base} \n${head} refs/heads/work\n\n`), pack])
  }

  ready({ work, change, diff }: Made): Of<'change_ready'> {
    return { type: 'change_ready', change, work, diff, findings: [], pullRequest: null }
  }

  /** What the gates came to, signed. What the pack is to say otherwise is laid over it. */
  async measured(
    { work, change, diff }: Made,
    { gates = passed, says = {}, key = this.runner.key }: Measuring = {},
  ): Promise<Of<'gates_ran'>> {
    const { story, run, attempt, policy } = this.order
    const evidence = { commit: work.head, criteria: [], changes: change, demonstration: null }
    const { files, additions, deletions } = change
    const predicate: RunEvidence = {
      story: { key: story.key, title: story.title },
      ...{ run, attempt, base: work.base, head: work.head, policyVersion: policy.version },
      ...{ isolation: isolationOf.box, agent },
      gates: gates.map((gate) => ({ ...gate, onBase: 'passed' as const, log: null })),
      ...{ criteria: [], spec: this.order.spec, demonstration: null, cost: [] },
      diff: { sha256: diff, files, additions, deletions, findings: [] },
      runner: { id: this.runner.instance, key: rawKey(this.runner.key) },
      collectedAt: new Date().toISOString(),
      ...says,
    }
    const statement = {
      ...{ _type: statementType, predicateType: runEvidenceType, predicate },
      subject: [{ name: `git+${this.order.repository.name}`, digest: { gitCommit: predicate.head } }],
    }
    const sealed = seal(payloadType, Buffer.from(JSON.stringify(statement)), key)
    return { type: 'gates_ran', gates, evidence, envelope: await this.keep(JSON.stringify(sealed)) }
  }

  async push(head: string, name = this.branch): Promise<Of<'finished'>> {
    const { address, options } = await this.#wayIn('write')
    await this.#git([...options, 'push', '--quiet', '--force', address, `${head}:refs/heads/${name}`])
    return { type: 'finished', branch: { name, head } }
  }

  /** Where a branch of the repository stands; empty where there is none. */
  async tip(name = this.order.repository.branch): Promise<string> {
    const { address, options } = await this.#wayIn('read')
    return (await this.#git([...options, 'ls-remote', address, `refs/heads/${name}`])).split('\t')[0] ?? ''
  }

  async #well(event: RunnerEvent): Promise<void> {
    const { status, body } = await this.tell(event)
    if (status !== 200) throw new Error(`The truth was refused: ${event.type} ${JSON.stringify(body)}`)
  }

  /** How git gets to the repository. Where that goes through the server, it is below the address of the protocol. */
  async #wayIn(access: 'read' | 'write'): Promise<{ address: string; options: string[] }> {
    const { run, fence } = this.order
    const told = await this.runner.call(`orders/${run}/${fence}/credential`, { for: 'git', access })
    if (told.status !== 200) throw new Error(`No credential to ${access}: ${JSON.stringify(told.body)}`)
    const { address, header } = told.body as unknown as Credential
    return {
      address: address.startsWith('orders/') ? `${this.runner.url}/runner/v1/${address}` : address,
      options: header ? ['-c', `http.extraHeader=${header}`] : [],
    }
  }

  #ref(branch: string): string {
    return readFileSync(path.join(this.#folder, 'refs', 'heads', branch), 'utf8').trim()
  }

  async #git(args: string[], input = ''): Promise<string> {
    return (await this.#bytes(args, input)).toString().trim()
  }

  /** Never in step: the server may live in the same process. */
  #bytes(args: string[], input: string): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const env = {
      ...{ PATH: process.env.PATH, HOME: this.#folder, GIT_TERMINAL_PROMPT: '0' },
      ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
    }
    const child = execFile(
      'git',
      ['-c', 'core.hooksPath=/dev/null', ...args],
      { cwd: this.#folder, env, encoding: 'buffer', maxBuffer: 256_000_000 },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    )
    // A process that ends before it has read says so by its exit code.
    child.stdin?.on('error', () => {}).end(input)
    return promise
  }
}

interface Measuring {
  gates?: Gate[]
  says?: Partial<RunEvidence>
  key?: KeyObject
}

const plan: RunnerEvent = { type: 'plan_ready', plan: 'Write it.', paths: ['kit.txt'], risk: 'low', lines: 1 }
