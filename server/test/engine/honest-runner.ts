import { createHash, generateKeyPairSync, randomUUID } from 'node:crypto'
import { rawKey, seal } from '@signalbox/contract/dsse.ts'
import type { Evidence, Gate } from '@signalbox/contract/run.ts'
import { payloadType, runEvidenceType, statementType } from '@signalbox/contract/runner/evidence.ts'
import type { PinnedSpec, Work } from '@signalbox/contract/runner/messages.ts'
import type { WorkEvent } from '../../domain/ports/work.ts'
import { keepFile } from '../../domain/work/files/keep.ts'
import type { ABareRepository } from './bare-repository.ts'
import { goesWell } from './engine.ts'
import type { OneRun } from './one-run.ts'

type Of<T extends WorkEvent['type']> = Extract<WorkEvent, { type: T }>

/** The commit that a change has become, and what can be said of it. */
export interface Made {
  work: Work
  change: Evidence['changes']
  diff: string
}

const spec = '#!/bin/sh\ntest -e done\n'
export const passed: Gate[] = [{ name: 'unit tests', result: 'passed', summary: '12 passed' }]

/**
 * What a runner does for a run, by hand and with real git: it makes a commit, hands it in as a bundle, signs its
 * evidence and pushes. Each step is apart, so that a test can put a lie in the place of one.
 */
export class HonestRunner {
  readonly run: OneRun
  readonly repository: ABareRepository
  readonly #key = generateKeyPairSync('ed25519').privateKey
  readonly signer = { runner: randomUUID(), key: rawKey(this.#key) }

  constructor(run: OneRun, repository: ABareRepository) {
    this.run = run
    this.repository = repository
  }

  get branch(): string {
    return `signalbox/${this.run.key}/${this.run.order.attempt}`
  }

  get specFolder(): string {
    return `.kanman/acceptance/${this.run.story.key}`
  }

  async keep(content: string | Buffer): Promise<string> {
    const bytes = Buffer.from(content)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await keepFile(this.run.owner, { order: this.run.order, sha256, bytes })
    return sha256
  }

  /** Reports, and lets happen what follows. */
  async tell(event: WorkEvent): Promise<void> {
    const { engine, order } = this.run
    await engine.report(order, event, undefined, this.signer)
    await engine.settle()
  }

  /** Up to the moment at which the change is to be made. */
  async begin(base = this.run.order.base ?? this.repository.tip('main')!): Promise<void> {
    if (this.run.order.stage === 'planning') await this.tell({ ...goesWell.plan })
    if (this.run.order.base === null) await this.tell({ ...goesWell.begun, base })
    if (this.run.order.spec === null)
      await this.tell({ type: 'spec_pinned', spec: await this.pinned(), summary: 'It fails, as it should.' })
  }

  async pinned(): Promise<PinnedSpec> {
    const files = await this.keep(JSON.stringify({ 'spec.sh': Buffer.from(spec).toString('base64') }))
    return { files, folder: this.specFolder, command: 'sh spec.sh' }
  }

  /** A commit of these files and the spec, on a branch that nothing else uses. */
  async make(files: Record<string, string | null>, base = this.base): Promise<Made> {
    const name = `work-${randomUUID()}`
    const head = await this.repository.push(name, { [`${this.specFolder}/spec.sh`]: spec, ...files }, base)
    return this.made(base, head)
  }

  get base(): string {
    return this.run.order.base ?? this.repository.tip('main')!
  }

  async made(base: string, head: string): Promise<Made> {
    const { repository } = this
    const bundle = await this.keep(repository.bundle(base, head))
    const counted = repository
      .git('diff-tree', '-r', '--no-renames', '--numstat', base, head)
      .split('\n')
      .map((line) => line.split('\t') as [string, string, string])
      .filter(([, , path]) => path && !path.startsWith(this.specFolder))
    const sum = (at: 0 | 1) => counted.reduce((total, line) => total + (Number(line[at]) || 0), 0)
    return {
      work: { base, head, bundle },
      change: {
        ...{ files: counted.length, additions: sum(0), deletions: sum(1) },
        paths: counted.map(([, , path]) => path),
      },
      diff: await this.keep(repository.git('diff-tree', '-r', '-p', '-M', base, head)),
    }
  }

  ready({ work, change, diff }: Made): Of<'change_ready'> {
    return { type: 'change_ready', change, work, diff, findings: [], pullRequest: null }
  }

  /** What the gates came to, signed. */
  async measured(
    { work, change, diff }: Made,
    gates: Gate[] = passed,
    findings: string[] = [],
    onBase: Record<string, Gate['result']> = {},
  ): Promise<Of<'gates_ran'>> {
    const { run } = this
    const evidence = { commit: work.head, criteria: [], changes: change, demonstration: null }
    const statement = {
      _type: statementType,
      subject: [{ name: 'git+halden/shop', digest: { gitCommit: work.head } }],
      predicateType: runEvidenceType,
      predicate: {
        story: { key: run.story.key, title: 'A story' },
        ...{ run: run.key, attempt: run.order.attempt, base: work.base, head: work.head },
        policyVersion: run.order.policy.version,
        ...{ isolation: goesWell.begun.isolation, agent: goesWell.begun.agent },
        gates: gates.map((gate) => ({ ...gate, onBase: onBase[gate.name] ?? 'passed', log: null })),
        ...{ criteria: [], spec: run.order.spec, demonstration: null, cost: [] },
        diff: { sha256: diff, ...counts(change), findings },
        runner: { id: this.signer.runner, key: this.signer.key },
        collectedAt: '2026-11-15T12:00:00.000Z',
      },
    }
    const sealed = seal(payloadType, Buffer.from(JSON.stringify(statement)), this.#key)
    return { type: 'gates_ran', gates, evidence, envelope: await this.keep(JSON.stringify(sealed)) }
  }

  /** Pushes one exact commit to a branch. */
  push(head: string, branch = this.branch): Of<'finished'> {
    this.repository.git('update-ref', `refs/heads/${branch}`, head)
    return { type: 'finished', branch: { name: branch, head } }
  }

  /** The whole way to a pushed branch, as it should be. */
  async handOver(
    files: Record<string, string | null>,
    gates = passed,
    onBase: Record<string, Gate['result']> = {},
  ): Promise<Made> {
    await this.begin()
    const made = await this.make(files)
    await this.tell(this.ready(made))
    await this.tell(await this.measured(made, gates, [], onBase))
    await this.tell(this.push(made.work.head))
    return made
  }
}

const counts = ({ files, additions, deletions }: Evidence['changes']) => ({ files, additions, deletions })
