import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Order, PinnedSpec } from '@signalbox/contract/runner/messages.ts'
import { isOver, type PlayedOrder, PlayServer } from '../play-server.ts'
import type { CategoryName, Claim, RunSketch, WorkScenario } from './attempt.ts'
import { baseFiles } from './base.ts'
import { breachesOf, claimsOf, judged, type Tried } from './judge.ts'
import { RunnerProcess } from './runner-process.ts'
import { reportedSecrets, Seen } from './seen.ts'
import { type Marked, turnFiles } from './turn.ts'
import { survivors, World } from './world.ts'

export interface WorkOptions {
  /** A command line that starts the runner; its options are put behind it. */
  runner: string
  /** How much shorter than a second a second is, for runners that listen to SIGNALBOX_RUNNER_PACE. */
  pace: number
  /** After so many seconds without what is waited for, a scenario has failed. */
  patienceSeconds: number
}

export interface WorkPlayed {
  name: string
  category: CategoryName
  tried: Tried[]
  /** What did not hold, each a sentence; empty: it passed. */
  breaches: string[]
  output: string
}

/** Plays one scenario against a real runner with a real repository, and says what did not hold. */
export async function playWork(scenario: WorkScenario, options: WorkOptions): Promise<WorkPlayed> {
  const stage = new WorkStage(scenario, options)
  const { name, category } = scenario
  try {
    await stage.play()
    return { name, category, ...stage.judged(), output: stage.output }
  } catch (error) {
    return { name, category, tried: [], breaches: [(error as Error).message], output: stage.output }
  } finally {
    await stage.clear()
  }
}

class WorkStage {
  readonly #scenario: WorkScenario
  readonly #options: WorkOptions
  readonly #world = new World()
  readonly #server: PlayServer
  readonly #runner: RunnerProcess
  /** Of each run, and of the scenario as a whole. */
  readonly #marked: Marked[][]
  readonly #seen: Seen[] = []
  readonly #played: PlayedOrder[][] = []
  readonly #traces = new Set<string>()
  #claims: ReadonlySet<Claim> = new Set()

  constructor(scenario: WorkScenario, options: WorkOptions) {
    this.#scenario = scenario
    this.#options = options
    this.#server = new PlayServer({ token: this.#world.token, pace: options.pace })
    this.#runner = new RunnerProcess(options.runner, this.#world, {
      url: () => this.#server.url,
      pace: options.pace,
    })
    let count = 0
    const mark = (attempts: WorkScenario['attempts'] = []) =>
      attempts.map((attempt) => ({
        attempt,
        token: `k${String(++count).padStart(3, '0')}x${this.#world.nonce}`,
      }))
    this.#marked = [...scenario.runs.map((run) => mark(run.attempts)), mark(scenario.attempts)]
  }

  get output(): string {
    return this.#runner.output
  }

  async play(): Promise<void> {
    await this.#world.open(this.#marked.flat().map(({ token }) => token))
    await this.#server.listen()
    await this.#startRunner()
    this.#world.noteKeys()
    this.#claims = claimsOf(this.#server)
    this.#world.look()
    for (const [at, run] of this.#scenario.runs.entries()) {
      this.#played.push([])
      await this.#playRun(run, at)
    }
    await this.#settled()
    const hasLeft = await this.#runner.leave(20_000)
    this.#note()
    if (!hasLeft) throw new Error('The runner did not leave when it was asked to.')
  }

  judged(): { tried: Tried[]; breaches: string[] } {
    for (const [at, orders] of this.#played.entries()) {
      const seen = new Seen(orders, {
        ...{ world: this.#world, at, all: this.#seen, traces: [...this.#traces] },
      })
      const contents = [...(seen.actual?.contents.values() ?? [])].map((content) =>
        content.toString('latin1'),
      )
      for (const told of reportedSecrets([seen.texts, ...contents].join('\n'), this.#world))
        this.#traces.add(told)
    }
    const traces = [...this.#traces]
    for (const [at, orders] of this.#played.entries())
      this.#seen.push(new Seen(orders, { world: this.#world, at, all: this.#seen, traces }))
    const tried = this.#marked.flatMap((marked, at) => {
      const seen = this.#seen[at] ?? this.#seen.at(-1)
      return marked.map((one) => judged(one, seen?.orders.length ? seen : undefined, this.#claims))
    })
    const whole = {
      server: this.#server,
      world: this.#world,
      seen: this.#seen.filter((each) => each.orders.length),
      traces,
    }
    const always = breachesOf(this.#scenario, { ...whole, marked: this.#marked.flat() })
    return { tried, breaches: [...tried.flatMap(({ why }) => (why ? [why] : [])), ...always] }
  }

  /** Leaves nothing behind, whatever has happened. */
  async clear(): Promise<void> {
    await this.#runner.kill()
    await this.#server.goAway()
    await this.#world.close()
  }

  /** Only what the runner says that it keeps is tried on it; what keeps without a box is always tried. */
  #applies = ({ attempt: { claim } }: Marked): boolean => !claim || this.#claims.has(claim)

  async #playRun(run: RunSketch, at: number): Promise<void> {
    const marked = this.#marked[at]!.filter(this.#applies)
    if (this.#marked[at]!.length > 0 && marked.length === 0) return
    if (run.startsAnew) {
      await this.#runner.kill()
      await this.#startRunner()
    }
    const { repository, provider } = this.#world
    provider.run = at
    const files = { ...(at === 0 ? baseFiles : {}), ...run.files }
    repository.commit({ ...files, ...turnFiles(run, marked, this.#world, this.#runner.pid) }, ['.kit'])
    let before: PlayedOrder | null = null
    for (const stage of run.stages ?? ['implementing']) {
      const order = this.#offer(run, at, stage, before)
      this.#played[at]!.push(order)
      if (run.killedWhen) {
        await this.#until(() => logOf(order).includes(run.killedWhen!), `the log says ${run.killedWhen}`)
        await this.#runner.kill()
        return this.#startRunner()
      }
      await this.#until(() => this.#isDone(order), `the ${stage} of run ${at + 1} ends`)
      before = order
      if ([...order.reports.values()].some(({ type }) => type === 'failed')) return
    }
  }

  async #startRunner(): Promise<void> {
    const before = this.#asks
    this.#runner.start()
    await this.#until(() => this.#asks > before, 'it registers and asks for work')
  }

  get #asks(): number {
    return this.#server.recorded.filter(({ call }) => call === 'acquire').length
  }

  #offer(run: RunSketch, at: number, stage: Order['stage'], before: PlayedOrder | null): PlayedOrder {
    const reports = [...(before?.reports.values() ?? [])]
    const work = reports.flatMap((event) =>
      event.type === 'change_ready' && event.work ? [event.work] : [],
    )[0]
    const written = reports.flatMap((event) => (event.type === 'spec_pinned' ? [event.spec] : []))[0]
    const pinned = run.pinned ? packed(run.pinned) : null
    const order = this.#server.offer({
      rehearsal: [],
      alsoHas: {
        ...orderOf(run, at, this.#world),
        ...{ fence: this.#server.orders.length + 1, stage },
        base: work?.base ?? before?.order.base ?? null,
        work: work ?? before?.order.work ?? null,
        spec: written ?? before?.order.spec ?? pinned?.spec ?? null,
      },
    })
    if (pinned) order.files.set(pinned.spec.files, pinned.bytes)
    return order
  }

  /** It was ended, everything of it was told, and the runner asks for the next one. */
  #isDone(order: PlayedOrder): boolean {
    const ended = this.#server.recorded.findLastIndex(
      ({ call, order: of }) => call === 'reports' && of === order,
    )
    const asked = this.#server.recorded.findLastIndex(({ call }) => call === 'acquire')
    return isOver(order) && asked > ended
  }

  /** What takes a moment to end has had it. */
  async #settled(): Promise<void> {
    const late = performance.now() + 3_000
    while (survivors(this.#world.nonce).length > 0 && performance.now() < late) await sleep(50)
    this.#note()
  }

  #note(): void {
    for (const trace of this.#world.traces()) this.#traces.add(trace)
  }

  async #until(holds: () => boolean, what: string): Promise<void> {
    const late = performance.now() + this.#options.patienceSeconds * 1_000
    while (!holds()) {
      if (!this.#runner.isRunning) throw new Error(`The runner ended before this was seen: ${what}.`)
      if (performance.now() > late) throw new Error(`This was waited for in vain: ${what}.`)
      await sleep(20)
    }
  }
}

const logOf = ({ log }: PlayedOrder): string => [...log.values()].flat().join('\n')

const deniedPaths = ['.kanman/acceptance/**', 'infra/**', '**/*.pem']

function orderOf({ order = {} }: RunSketch, at: number, { repository }: World): Partial<Order> {
  const { policy, story, usdMicros = 1_000_000, ...rest } = order
  const story1 = { key: 'WEB-1', title: 'Greet people', size: null, complexity: null }
  return {
    run: `run-k${String(at).padStart(3, '0')}`,
    executor: 'command',
    story: {
      ...story1,
      ...{ description: 'They like that.', acceptanceCriteria: [], demonstrate: null, ...story },
    },
    policy: {
      ...{ version: 1, executor: 'command', maxConcurrency: 1, planApproval: 'never', mergePolicy: 'ask' },
      ...{ budgets: { runCents: 100, dayCents: null, monthCents: null }, deniedPaths },
      ...{ acceptanceRequired: false, reworkOnReview: false, isolation: 'none', gateFailureBudget: 1 },
      ...{ autoMergeMaxLines: null, whenIssueLeaves: 'stop' },
      ...policy,
    },
    repository: { name: 'halden/checkout-web', address: repository.folder, branch: 'main' },
    budget: { eurMicros: usdMicros, usdMicros },
    ...rest,
  }
}

/** As a runner has uploaded it when the spec was written. */
function packed(files: Record<string, string>): { spec: PinnedSpec; bytes: Buffer } {
  const sorted = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))
  const bytes = Buffer.from(
    JSON.stringify(
      Object.fromEntries(sorted.map(([name, text]) => [name, Buffer.from(text).toString('base64')])),
    ),
  )
  const folder = '.kanman/acceptance/WEB-1'
  const spec = {
    files: createHash('sha256').update(bytes).digest('hex'),
    ...{ folder, command: `sh ${folder}/${sorted[0]![0]}` },
  }
  return { spec, bytes }
}
