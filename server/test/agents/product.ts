import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { PolicySettings } from '@signalbox/contract/app/policies.ts'
import type { Decision } from '@signalbox/contract/decision.ts'
import { isolationLacks, lackingFor } from '@signalbox/contract/isolation.ts'
import type { Run } from '@signalbox/contract/run.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { type Model, startModel } from '../../../runner/test/model/model.ts'
import { root, type TriedAgent } from '../../../runner/test/tried-agents.ts'
import type { Context } from '../../domain/context.ts'
import { listRunners } from '../../domain/engine/runners/list.ts'
import { housekeeping } from '../../domain/record/audit/change.ts'
import { listAudit } from '../../domain/record/audit/list.ts'
import { listDecisions } from '../../domain/work/decisions/list.ts'
import { packEvidence } from '../../domain/work/evidence/pack.ts'
import { type Verified, verifyPack } from '../../domain/work/evidence/verify-pack.ts'
import { readRun } from '../../domain/work/runs/read.ts'
import { createStory } from '../../domain/work/stories/create.ts'
import { placeStory } from '../../domain/work/stories/place.ts'
import { readStory } from '../../domain/work/stories/read.ts'
import { Jobs } from '../../infra/jobs/queue.ts'
import { testApp } from '../app.ts'
import { ABareRepository } from '../engine/bare-repository.ts'
import { aMember, aPolicy, aTeam, aToken, aWorkspace } from '../factories.ts'
import { tables } from '../tables.ts'
import { until } from '../until.ts'
import { prices, scripts } from './scripts.ts'

const firstPage = { limit: 100, after: null }

/** Passes before the story is done and after it, and fails where the greeting is another. */
const gates = `gates:
  - name: greeting
    run: test ! -e greeting.txt || grep -q '^Hello' greeting.txt
`

/**
 * The whole of it for one coding agent: a server with its database, a bare repository that it merges into, and the
 * runner as a process of its own, with its box and its gateway. Only the model behind the gateway is ours.
 */
export class Product implements AsyncDisposable {
  readonly model: Model
  readonly repository: ABareRepository
  readonly owner: Context
  readonly #agent: TriedAgent
  readonly #app: Awaited<ReturnType<typeof testApp>>
  readonly #queue: Jobs
  readonly #folder: string
  readonly #runner: ChildProcess
  readonly #said: { text: string }

  private constructor(parts: {
    model: Model
    repository: ABareRepository
    owner: Context
    agent: TriedAgent
    app: Awaited<ReturnType<typeof testApp>>
    queue: Jobs
    folder: string
    runner: ChildProcess
  }) {
    this.model = parts.model
    this.repository = parts.repository
    this.owner = parts.owner
    this.#agent = parts.agent
    this.#app = parts.app
    this.#queue = parts.queue
    this.#folder = parts.folder
    this.#runner = parts.runner
    this.#said = hearing(parts.runner)
  }

  /** `programs` is where the agent is installed. */
  static async open(agent: TriedAgent, programs: string): Promise<Product> {
    const model = await startModel(scripts)
    const repository = new ABareRepository()
    await repository.push('main', { 'README.md': 'A small repository.\n', '.kanman/gates.yml': gates })
    const app = await testApp({ env: { GIT_ALLOW: repository.folder, EXCHANGE_RATES: 'USD=1' } })
    // A context with the server's own queue: what a person does here has the same effect as in the app.
    const queue = new Jobs({ pool: app.storage.pool, onError: () => {} })
    const owner = { ...(await aMember(await aWorkspace(app.storage.db), 'owner')), queue }
    const { token } = await aToken(owner)
    const folder = await mkdtemp(path.join(tmpdir(), 'signalbox-agents-'))
    await writeFile(path.join(folder, 'prices.json'), JSON.stringify(prices))
    const runner = startRunner({ agent, programs, folder, token, url: app.url, model, repository })
    const product = new Product({ model, repository, owner, agent, app, queue, folder, runner })
    try {
      await until('the runner is connected', async () => {
        product.#mustRun()
        return (await listRunners(owner)).some(({ online }) => online)
      })
      await product.#mustBeBoxed()
      return product
    } catch (error) {
      await product[Symbol.asyncDispose]()
      throw error
    }
  }

  /** No order would ever come for a policy that demands a box. */
  async #mustBeBoxed(): Promise<void> {
    const [runner] = await listRunners(this.owner)
    const lacks = lackingFor('box', runner!.isolation).map((lack) => isolationLacks[lack])
    if (lacks.length > 0) throw new Error(`This machine has no box. It can't ${lacks.join(', or ')}.`)
  }

  /** As the runner registered it. */
  async version(): Promise<string> {
    const [runner] = await listRunners(this.owner)
    const found = runner?.executors.find(({ name }) => name === this.#agent.executor)
    if (!found) throw new Error(`The runner found no ${this.#agent.executor}.`)
    return found.version ?? '?'
  }

  /**
   * A team on the repository whose policy asks no one: the agent works in a box, and what passes its gate is merged.
   */
  async team(budgets: PolicySettings['budgets']) {
    const team = await aTeam(this.owner)
    await aPolicy(this.owner, team, 'autonomous', {
      ...{ executor: this.#agent.executor, isolation: 'box', planApproval: 'never', mergePolicy: 'auto' },
      budgets,
    })
    await housekeeping(this.#app.storage.db, 'a repository for a test', (tx) =>
      tables(tx)
        .insertInto('team_repositories')
        .values({
          ...{ workspace_id: this.owner.workspaceId, team_id: team.id, host: 'local', branch: 'main' },
          ...{ name: 'halden/greetings', address: this.repository.bare },
        })
        .execute(),
    )
    return team
  }

  /** A story that a person has put into Ready, once its run has begun. */
  async begin(team: { slug: string }, title: string): Promise<string> {
    // Its spec has to be red on main, whatever was merged before.
    await this.repository.push('main', { 'greeting.txt': null })
    const { key } = await createStory(this.owner, team.slug, {
      ...{ title: `Greet whoever reads the repository (${title})`, size: 'xs', complexity: 'low' },
      description: 'Whoever opens the repository wants to be greeted, because it feels empty without a word.',
      acceptanceCriteria: [
        'The root of the repository contains a file named greeting.txt',
        'The first line of greeting.txt begins with the word Hello',
      ],
      demonstrate: 'Run `cat greeting.txt` and see the greeting.',
    })
    await placeStory(this.owner, key, 'ready')
    let run: string | undefined
    await this.until(`${title} has a run`, async () => {
      run = fromJson(await readStory(this.owner, key)).runKeys[0]
      return run !== undefined
    })
    return run!
  }

  async read(run: string): Promise<Run> {
    return fromJson(await readRun(this.owner, run))
  }

  /** What the run asks people, once it asks. A run that has ended asks nothing any more. */
  async asked(run: string): Promise<Decision> {
    let found: Decision | undefined
    await this.until(`${run} asks`, async () => {
      const { data } = await listDecisions(this.owner, { status: 'pending' }, firstPage)
      found = data.map(fromJson).find(({ runKey }) => runKey === run)
      if (!found) this.#mustGoOn(await this.read(run))
      return found !== undefined
    })
    return found!
  }

  /** Once it has succeeded; whatever it asks on the way is one question too many. */
  async succeeded(run: string): Promise<void> {
    await this.until(`${run} succeeds`, async () => {
      const state = await this.read(run)
      if (state.status === 'succeeded') return true
      this.#mustGoOn(state)
      const open = state.decisions.find(({ status }) => status === 'pending')
      if (open) throw new Error(`It asks: ${open.kind}.`)
      return false
    })
  }

  /** What its gateway has booked for a run. */
  async booked(
    run: string,
  ): Promise<{ calls: number; input: number; cached: number; output: number; usd: number }> {
    const rows = await tables(this.#app.storage.db)
      .selectFrom('usage_ledger')
      .innerJoin('runs', 'runs.id', 'usage_ledger.run_id')
      .select(['source', 'amount', 'input_tokens', 'cache_read_tokens', 'output_tokens'])
      .where('runs.workspace_id', '=', this.owner.workspaceId)
      .where('runs.key', '=', run)
      .execute()
    const strangers = rows.filter(({ source }) => source !== 'gateway')
    if (strangers.length > 0) throw new Error(`${strangers.length} bills are not of the gateway.`)
    const sum = (of: (row: (typeof rows)[number]) => number | null) =>
      rows.reduce((total, row) => total + (of(row) ?? 0), 0)
    return {
      calls: rows.length,
      input: sum((row) => row.input_tokens),
      cached: sum((row) => row.cache_read_tokens),
      output: sum((row) => row.output_tokens),
      usd: sum((row) => Number(row.amount)),
    }
  }

  /** Its evidence, verified the way a person who downloads it would. */
  async evidence(run: string): Promise<Verified> {
    const { publicKey } = this.#app.storage.secrets.signing
    let checked: ReturnType<typeof verifyPack> | undefined
    await this.until('the evidence is sealed', async () => {
      const pack = await packEvidence(this.owner, publicKey, run).catch((error) => {
        if (error.code !== 'service_unavailable') throw error
        return null
      })
      if (pack) checked = verifyPack(JSON.parse(JSON.stringify(pack)), publicKey)
      return pack !== null
    })
    if ('findings' in checked!) throw new Error(`The evidence does not hold: ${checked.findings.join(' ')}`)
    return checked!
  }

  async audit(run: string) {
    return (await listAudit(this.owner, { run }, firstPage)).data.map(fromJson)
  }

  /** What the runner printed, for debugging. */
  get said(): string {
    return this.#said.text
  }

  /** Waits for a condition as long as the runner is there to bring it about. */
  until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
    return until(what, async () => {
      this.#mustRun()
      if (await condition()) return true
      // What is waited for takes a minute, and the server is in this process: to be asked keeps it from working.
      await wait(250)
      return false
    })
  }

  #mustRun(): void {
    const { exitCode } = this.#runner
    if (exitCode !== null) throw new Error(`The runner has ended with ${exitCode}: ${this.said.trim()}`)
  }

  #mustGoOn({ status, attemptList }: Run): void {
    if (['queued', 'running', 'waiting'].includes(status)) return
    throw new Error(`It is ${status}: ${attemptList.at(-1)?.error ?? 'nobody says why'}`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#runner.exitCode === null && this.#runner.signalCode === null) {
      const ended = once(this.#runner, 'exit')
      // The second one hands back what is left.
      this.#runner.kill('SIGTERM')
      this.#runner.kill('SIGINT')
      await ended
    }
    await this.#queue.stop()
    await this.#app.stop()
    await this.model[Symbol.asyncDispose]()
    this.repository.remove()
    await rm(this.#folder, { recursive: true, force: true })
  }
}

/** The runner as an operator starts it. Of our environment it gets nothing that it does not need. */
function startRunner(given: {
  agent: TriedAgent
  programs: string
  folder: string
  token: string
  url: string
  model: Model
  repository: ABareRepository
}): ChildProcess {
  const { agent, programs, folder, model } = given
  const key = 'a-key-that-stays-with-the-runner'
  const { executor, via } = agent
  return spawn(
    process.execPath,
    [
      ...[path.join(root, 'runner', 'main.ts'), '--url', given.url, '--name', agent.name],
      ...['--data', path.join(folder, 'runner'), '--git-folders', given.repository.folder],
      ...['--agents', `${executor}=${via}`],
      ...(agent.model ? ['--models', `${executor}=${agent.model}`] : []),
    ],
    {
      env: {
        ...{ PATH: `${programs}${path.delimiter}${process.env.PATH}`, HOME: folder },
        ...{ SERVICE_API_KEY: given.token, SIGNALBOX_RUNNER_PACE: '0.2' },
        ...{ MODEL_PRICES: path.join(folder, 'prices.json') },
        ...{ ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: model.url },
        ...{ OPENAI_API_KEY: key, OPENAI_BASE_URL: model.url },
        ...{ GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: model.url },
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
}

function hearing(runner: ChildProcess): { text: string } {
  const heard = { text: '' }
  for (const stream of [runner.stdout!, runner.stderr!])
    stream.setEncoding('utf8').on('data', (text: string) => {
      heard.text += text
    })
  return heard
}
