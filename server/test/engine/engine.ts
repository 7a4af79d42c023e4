import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { portsFrom } from '../../app/ports.ts'
import { asService, type Context } from '../../domain/context.ts'
import { type Report, reportWork } from '../../domain/engine/lifecycle/report.ts'
import { dispatchTeam } from '../../domain/engine/supervision/dispatch.ts'
import { shareSlots } from '../../domain/engine/supervision/share-slots.ts'
import { type Swept, sweep } from '../../domain/engine/supervision/sweep.ts'
import type { ChangeReader } from '../../domain/ports/change-reader.ts'
import type { GitHost } from '../../domain/ports/git-host.ts'
import type { Splitter } from '../../domain/ports/splitter.ts'
import type { Verdict, WorkEvent, WorkOrder } from '../../domain/ports/work.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { performEffect } from '../../domain/record/outbox/perform.ts'
import { performersFor } from '../../faces/worker/performers.ts'
import type { Db } from '../../infra/db/db.ts'
import type { Queue, Wake } from '../../infra/jobs/queue.ts'
import { secretsFrom } from '../../infra/secrets.ts'
import { ScriptedGitHost, type ScriptedMerge } from '../../integrations/git-hosts/scripted.ts'
import { PretendTracker } from '../../integrations/trackers/pretend.ts'
import { TestClock } from '../clock.ts'
import { aMember, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'

const noSplitter: Splitter = {
  name: 'none',
  split: async () => ({ drafts: [], notes: [] }),
}

/** An installation in which nothing is configured. */
export const bare = portsFrom(
  {
    dataDir: tmpdir(),
    splitter: null,
    mail: null,
    publicUrl: null,
    gitAllow: [],
    pushAllow: [],
    connectionAllow: [],
  },
  secretsFrom('a key for tests that nobody else has'),
  null,
)
const settings = { secrets: { decrypt: () => '' }, publicUrl: () => 'http://127.0.0.1' }
export const barePerformers = performersFor(bare, settings)

/**
 * The engine by hand: nothing moves until the test says so. Wake-ups are kept in a list instead of the job queue,
 * orders are given to the test instead of a worker, and the clock is stopped until the test moves it.
 */
export class TestEngine {
  readonly clock = new TestClock()
  readonly wakes: { wake: Wake; at: number }[] = []
  /** Orders that were handed out, oldest first. */
  readonly orders: WorkOrder[] = []
  readonly tracker = new PretendTracker()
  merges: (story: string) => ScriptedMerge = () => ({})
  readonly gitHost = new ScriptedGitHost((request) => this.merges(request.story))
  /** Whom the engine speaks to: the scripted one, unless a test has repositories. */
  host: GitHost = this.gitHost
  serving = true
  /** Agents that no worker has. */
  without: WorkOrder['executor'][] = []
  readonly serves = (executor: WorkOrder['executor']) => this.serving && !this.without.includes(executor)
  /** Checks what is handed in; null: the worker runs in this process, and its reports are trusted. */
  changes: ChangeReader | null = null
  /** False: no git host, tracker or chat tool is connected. */
  connected = true
  /** The node dies at this send of a wake-up, counted from 0: the transaction it belongs to is rolled back. */
  dieAtSend: number | null = null
  /** The node dies right after a call to the git host: the call was made, but not recorded. */
  dieAfterCall = false
  readonly #performers = performersFor(
    {
      ...bare,
      work: {
        name: 'test',
        serves: this.serves,
        hand: async (order) => void this.orders.push(order),
      },
      gitHost: {
        troubleWith: (...about) => this.host.troubleWith(...about),
        credential: (...about) => this.host.credential(...about),
        relay: (...about) => this.host.relay(...about),
        closePullRequest: (request) => this.#mayDie(this.host.closePullRequest(request)),
        postVerdict: (verdict) => this.#mayDie(this.host.postVerdict(verdict)),
        readMain: (request) => this.host.readMain(request),
        readPullRequest: (request) => this.host.readPullRequest(request),
        readReviews: (request) => this.host.readReviews(request),
        openPullRequest: (request) => this.#mayDie(this.host.openPullRequest(request)),
        merge: (request, note) => this.#mayDie(this.host.merge(request, note)),
        checkMain: (request) => this.#mayDie(this.host.checkMain(request)),
        openRevert: (request) => this.#mayDie(this.host.openRevert(request)),
        revertCommit: (request) => this.#mayDie(this.host.revertCommit(request)),
      },
      tracker: this.tracker,
      splitter: noSplitter,
      history: { recentMerges: async () => [], diffOf: () => Promise.reject(new Error('no merges')) },
    },
    settings,
  )
  readonly #numbers = new Map<string, number>()
  readonly #db: Db

  readonly queue: Queue = {
    send: async (_, wake, after) => {
      if (this.dieAtSend !== null) {
        this.dieAtSend -= 1
        if (this.dieAtSend < 0) throw new Error('The node died.')
      }
      this.wakes.push({ wake, at: this.clock.now().getTime() + (after?.seconds ?? 0) * 1000 })
    },
    committed: () => {},
  }

  constructor(db: Db) {
    this.#db = db
  }

  async #mayDie<T>(call: Promise<T>): Promise<T> {
    const result = await call
    if (this.dieAfterCall) throw new Error('The node died.')
    return result
  }

  /** A workspace with an owner, as the context in which that person acts. */
  async workspace() {
    const workspace = await aWorkspace(this.#db, this.clock)
    return aMember({ ...workspace, queue: this.queue }, 'owner')
  }

  service(workspaceId: string): Context {
    const { clock, queue } = this
    return asService({ db: this.#db, clock, queue }, workspaceId)
  }

  /** Answers the wake-ups that are due, and those they lead to, until there are none. */
  async settle(): Promise<void> {
    for (;;) {
      const due = this.wakes.findIndex(({ at }) => at <= this.clock.now().getTime())
      if (due < 0) return
      await this.handle(this.wakes.splice(due, 1)[0]!.wake)
    }
  }

  async handle({ task, workspaceId, id }: Wake): Promise<void> {
    const ctx = this.service(workspaceId)
    if (task === 'team') await dispatchTeam(ctx, id, { serves: this.serves })
    else if (task === 'slots') await shareSlots(ctx, { serves: this.serves })
    else await performEffect(ctx, id, this.connected ? this.#performers : barePerformers)
  }

  async sweep(): Promise<Swept> {
    const { clock, queue } = this
    const errors: Error[] = []
    const ports = { work: { serves: this.serves }, performers: this.#performers }
    const swept = await sweep({ db: this.#db, clock, queue }, ports, (error) => void errors.push(error))
    if (errors.length > 0) throw new AggregateError(errors, 'the sweeper met errors')
    return swept
  }

  /** Reports on an order, as its worker would. */
  async report(
    order: WorkOrder,
    event: WorkEvent,
    number?: number,
    signer?: Report['signer'],
  ): Promise<Verdict> {
    const name = `${order.runId}/${order.fence}`
    const next = number ?? (this.#numbers.get(name) ?? 0) + 1
    this.#numbers.set(name, Math.max(next, this.#numbers.get(name) ?? 0))
    await this.#bring(order, event)
    const report = { number: next, event, ...(signer ? { signer } : {}) }
    return reportWork(this.service(order.workspaceId), order, report, { USD: 0.5 }, this.changes)
  }

  /** Tests name files that no one reads: something is stored under each of the names. */
  async #bring({ workspaceId, runId }: WorkOrder, event: WorkEvent): Promise<void> {
    const named = JSON.stringify(event).match(/(?<=")[0-9a-f]{64}(?=")/g) ?? []
    if (named.length === 0) return
    await housekeeping(this.#db, 'files of a test', async (tx) => {
      for (const sha256 of new Set(named)) {
        await sql`
          insert into kept_files (workspace_id, sha256, bytes, size, made_at)
          values (${workspaceId}, ${sha256}, ${Buffer.alloc(0)}, 0, ${this.clock.now()})
          on conflict do nothing
        `.execute(tables(tx))
        await sql`
          insert into run_files (workspace_id, run_id, sha256) values (${workspaceId}, ${runId}, ${sha256})
          on conflict do nothing
        `.execute(tables(tx))
      }
    })
  }

  /** The newest order of a run. */
  orderOf(runKey: string): WorkOrder {
    const order = this.orders.findLast(({ run }) => run === runKey)
    if (!order) throw new Error(`${runKey} has no order.`)
    return order
  }
}

/** Outcomes that go well, for tests that are about something else. */
export const goesWell = {
  plan: { type: 'plan_ready', plan: '1. Do it.', paths: ['src/a.ts'], risk: 'low', lines: 10 },
  change: {
    type: 'change_ready',
    change: { files: 1, additions: 8, deletions: 2, paths: ['src/a.ts'] },
    pullRequest: { url: 'https://git.example.com/pull/7', number: 7 },
  },
  gates: {
    type: 'gates_ran',
    gates: [{ name: 'unit tests', result: 'passed', summary: '12 passed' }],
    evidence: {
      commit: 'c0ffee',
      criteria: [],
      changes: { files: 1, additions: 8, deletions: 2, paths: ['src/a.ts'] },
      demonstration: null,
    },
  },
  finish: { type: 'finished', pullRequest: null },
  begun: {
    type: 'begun',
    base: 'b'.repeat(40),
    isolation: {
      backend: 'bubblewrap',
      version: '0.8.0',
      environmentCleared: true,
      descendantsReaped: true,
      writesOutsideBlocked: true,
      deniedPathsBlocked: true,
      secretsUnreadable: true,
      networkOnlyToGateway: true,
    },
    agent: { name: 'scripted', via: 'scripted', version: '1.0.0' },
  },
  session: { type: 'session_known', agentSession: 'session-1' },
  spec: {
    type: 'spec_pinned',
    spec: { files: 'a'.repeat(64), folder: '.kanman/acceptance/web-1', command: 'npm run acceptance' },
    summary: 'It fails on the base, as it should.',
  },
  pushed: { type: 'finished', branch: { name: 'signalbox/run-1/1', head: 'c'.repeat(40) } },
  mainGreen: { type: 'main_checked', state: 'green', findings: '', gates: [] },
} as const satisfies Record<string, WorkEvent>

const spec = '.kanman/acceptance/orders.md'

/** Outcomes at which a person is asked. */
export const goesWrong = {
  gates: {
    ...goesWell.gates,
    gates: [
      { name: 'unit tests', result: 'failed', summary: '2 of 12 failed' },
      { name: 'lint', result: 'passed', summary: 'clean' },
    ],
  },
  changedSpec: { ...goesWell.change, change: { ...goesWell.change.change, paths: ['src/a.ts', spec] } },
  question: {
    type: 'question_asked',
    question: 'Which time zone?',
    context: 'Orders carry none.',
    options: [
      { id: 'utc', label: 'UTC' },
      { id: 'local', label: 'That of the depot' },
    ],
    recommendation: 'utc',
  },
  spec: { type: 'spec_failed', error: 'The spec passes before anything is done.' },
  scope: { type: 'scope_change_proposed', plan: '1. Do more.', change: 'Returns need it too.' },
} as const satisfies Record<string, WorkEvent>
