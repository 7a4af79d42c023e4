import { mkdir, utimes } from 'node:fs/promises'
import path from 'node:path'
import { type AnyOrder, RunnerEvent } from '@signalbox/contract/runner/messages.ts'
import { withoutHidden } from '@signalbox/contract/visible.ts'
import { Check } from 'typebox/value'
import type { Agent, AgentEvent, AgentUsage, Task, TurnEnd } from '../agents/agent.ts'
import { removeFromHome } from '../agents/home.ts'
import type { Question } from '../agents/question.ts'
import { isExpired, type SignIn } from '../agents/sign-in.ts'
import type { Limits } from '../box/box.ts'
import type { Api } from '../gateway/apis.ts'
import { type ConnectProxy, openConnectProxy } from '../gateway/connect-proxy.ts'
import { type Gateway, openGateway } from '../gateway/gateway.ts'
import { priceOf } from '../gateway/prices.ts'
import type { Store, Worktree } from '../git/git.ts'
import { type OrderContext, WorkFailed } from '../orders/order-context.ts'
import { deniedIn, topOf } from './denied.ts'
import { lineOf } from './event-line.ts'
import { homeOf } from './site.ts'
import type { Workshop } from './workshop.ts'

type Purpose = 'plan' | 'spec' | 'implement' | 'propose' | 'review'

/** How a turn ended, and what it left. */
export interface Turned {
  end: TurnEnd
  question: Question | null
  /** What it wanted and was refused. */
  denials: string[]
  out: string
}

/** The worktree of another repository, and what is in it. */
export interface Beside {
  name: string
  store: Store
  worktree: Worktree
  commit: string
}

/** An agent that works for one order: one budget for all of its turns. */
export class AgentAtWork {
  readonly #shop: Workshop
  readonly #order: AnyOrder
  readonly #context: OrderContext
  readonly #agent: Agent
  readonly #signIn: SignIn | null
  /** It reads what another agent has made: nothing of the one goes over to the other. */
  readonly #isReviewer: boolean
  #gateway: Gateway | null = null
  #connectProxy: ConnectProxy | null = null
  /** From the agent's own numbers, where nothing else meters it. */
  #reportedMicros = 0
  #turns = 0

  constructor(
    shop: Workshop,
    order: AnyOrder,
    context: OrderContext,
    { isReviewer = false }: { isReviewer?: boolean } = {},
  ) {
    const agent = shop.agents.find(({ executor }) => executor.name === order.executor)
    if (!agent) throw new WorkFailed(`This runner no longer finds the agent ${order.executor}.`, 'transient')
    this.#shop = shop
    this.#order = order
    this.#context = context
    this.#agent = agent
    this.#signIn = shop.signInOf(order.executor)
    this.#isReviewer = isReviewer
    for (const secret of this.#signIn?.secrets ?? []) context.hide(secret)
  }

  get executor() {
    return this.#agent.executor
  }

  /** What its model's provider may do on its own; an older server does not say. */
  get modelTools() {
    return this.#order.policy.modelTools ?? []
  }

  get hasSignIn(): boolean {
    return this.#signIn !== null
  }

  /** Whether a text holds what the agent signs in with, as it is. */
  givesAway(text: string): boolean {
    return this.#signIn?.secrets.some((secret) => text.includes(secret)) ?? false
  }

  /** The result folder of the next turn, as the agent sees it. */
  get place(): { out: string } {
    return { out: this.#shop.box.inside(this.#folders().out, this.#limits(this.#folders(), '', [])) }
  }

  /** Where it finds a worktree. */
  inside(worktree: Worktree): string {
    return this.#shop.box.inside(worktree.folder, this.#limits(this.#folders(), '', []))
  }

  /** `commit` is what is in the worktree; `beside` are those of other repositories. */
  async turn(
    store: Store,
    worktree: Worktree,
    {
      purpose,
      prompt,
      readOnly,
      commit,
      beside = [],
    }: { purpose: Purpose; prompt: string; readOnly: boolean; commit: string; beside?: Beside[] },
  ): Promise<Turned> {
    const { home, out } = this.#folders()
    await this.#shop.trash.put(out)
    for (const folder of [home, out]) await mkdir(folder, { recursive: true })
    // The homes of a run are kept for so long after its last turn.
    await utimes(path.dirname(home), new Date(), new Date())
    // Without the gateway no call is refused, so the turn does not begin.
    if (this.#isOverdrawn) return { end: broke, question: null, denials: [], out }
    this.#gateway ??= await this.#openGateway()
    this.#connectProxy ??= await this.#openConnectProxy()
    const files = (await store.entries(commit)).map((entry) => entry.path)
    const denied = this.#isReviewer ? [] : closedIn(worktree.folder, orderIn(this.#order, null), files)
    const objects = [store, ...beside.map((other) => other.store)].flatMap((one) => [...one.objects])
    const limits = this.#limits({ home, out }, worktree.folder, [...new Set(objects)])
    const others: NonNullable<Limits['beside']> = []
    for (const other of beside) {
      const there = (await other.store.entries(other.commit)).map((entry) => entry.path)
      const { folder } = other.worktree
      others.push({ folder, denied: closedIn(folder, orderIn(this.#order, other.name), there) })
    }
    const heard = { question: null as Question | null, denials: [] as string[] }
    let overdrawn: string | null = null
    let isStopped = false
    let isTold = false
    const watch = this.#context.watchTurn()
    const cancelled = new AbortController()
    const cancel = (how: 'cancel' | 'abort') => () => cancelled.abort(how)
    const [polite, rude] = [cancel('cancel'), cancel('abort')]
    this.#context.cancelled.addEventListener('abort', polite)
    this.#context.aborted.addEventListener('abort', rude)
    try {
      const end = await this.#agent.turn(
        {
          task: { run: this.#order.run, attempt: this.#order.attempt, purpose, ...subjectOf(this.#order) },
          // Words of others are in it: a model is told nothing that a person would not see.
          prompt: withoutHidden(prompt),
          limits: {
            ...limits,
            denied,
            ...(others.length > 0 ? { beside: others, environment: this.#placesOf(limits, beside) } : {}),
            overdrawn: (reason) => {
              overdrawn = reason
            },
          },
          model: this.#shop.modelFor(this.#order.executor) ?? this.#signIn?.model ?? null,
          session: this.#turns === 0 && purpose === 'implement' ? sessionOf(this.#order) : null,
          gateway: this.#gateway,
          signIn: this.#signIn,
          budgetUsd: this.#left(),
          readOnly,
          onEvent: (event) => {
            watch.onActivity(event.type === 'tool_began' ? `${event.name} ${event.input}` : undefined)
            if (event.type === 'denied') heard.denials.push(event.what)
            this.#onEvent(event)
            if (event.type !== 'usage') return
            isTold = true
            if (!event.isUnderWay || !this.#isOverdrawn) return
            isStopped = true
            cancelled.abort('cancel')
          },
          ask: (question) => {
            heard.question = question
          },
          cancelled: cancelled.signal,
        },
        this.#shop.box,
      )
      this.#context.cancelled.throwIfAborted()
      if (overdrawn)
        return { end: { ended: 'limit', error: `The agent was stopped. ${overdrawn}` }, ...heard, out }
      if (this.#signIn && !isTold)
        this.#context.print('The agent did not say what this turn used, so it is not in the cost of the run.')
      // Some agents end as if they were done when a call is refused, and others with words of their own.
      const isBroke = isStopped || (end.ended !== 'cancelled' && this.#gateway?.isExhausted)
      return { end: isBroke ? broke : end, ...heard, out }
    } finally {
      this.#turns += 1
      // The home outlives the turn; what opens the operator's account does not.
      for (const name of Object.keys(this.#signIn?.files ?? {})) removeFromHome(home, name)
      watch.end()
      this.#context.cancelled.removeEventListener('abort', polite)
      this.#context.aborted.removeEventListener('abort', rude)
    }
  }

  async leave(): Promise<void> {
    await this.#gateway?.close()
    if (this.#connectProxy && this.#connectProxy.refused.length > 0)
      this.#context.print(
        `Not reached, because the agent's sign-in does not need it: ${this.#connectProxy.refused.join(', ')}.`,
      )
    await this.#connectProxy?.close()
  }

  #placesOf(limits: Limits, beside: Beside[]): Record<string, string> {
    const places = beside.map(({ name, worktree }) => [name, this.inside(worktree)])
    return { ...limits.environment, SIGNALBOX_REPOSITORIES: JSON.stringify(Object.fromEntries(places)) }
  }

  #folders() {
    const folder = path.join(this.#context.folder, `turn-${this.#turns + 1}`)
    // An agent keeps its home from order to order of a run: its own session is there. What an author has left in it, as
    // instructions for every agent that reads its home, is not for who reviews, nor for the other agent of a race.
    const home = this.#isReviewer
      ? path.join(this.#context.folder, 'reviewer')
      : homeOf(this.#shop, this.#order)
    return { home, out: path.join(folder, 'out') }
  }

  #limits({ home, out }: { home: string; out: string }, worktree: string, readable: string[]): Limits {
    const gateway = this.#gateway
    return {
      worktree,
      home,
      out,
      readable,
      programs: this.#agent.readable,
      isWorktreeReadOnly: this.#isReviewer,
      denied: [],
      environment: {
        ...this.#context.mark,
        ...(gateway ? { SIGNALBOX_MODEL_URL: this.#shop.box.gatewayUrl(gateway) } : {}),
      },
      gateway: gateway?.socket ?? null,
      ...(this.#connectProxy ? { network: 'maker', proxy: this.#connectProxy.socket } : { network: 'none' }),
    }
  }

  /** To the maker of the agent, whose account it uses; null: it has no business there. */
  async #openConnectProxy(): Promise<ConnectProxy | null> {
    const signIn = this.#signIn
    if (!signIn) return null
    if (isExpired(signIn, new Date()))
      throw new WorkFailed(`The sign-in in ${signIn.from} has expired. ${signIn.renewal}`, 'persistent')
    this.#context.print(
      `The agent signs in with ${signIn.from} and reaches ${signIn.hosts.join(', ')}. Its costs are what it reports itself.`,
    )
    return openConnectProxy({ allow: signIn.hosts, folder: this.#context.folder })
  }

  /** Null where there is no key to be added, or the agent signs in on its own: then its own numbers count. */
  async #openGateway(): Promise<Gateway | null> {
    if (this.#signIn) return null
    if (this.#order.executor === 'scripted' || Object.keys(this.#shop.upstreams).length === 0) return null
    return openGateway({
      upstreams: this.#shop.upstreams,
      usdMicros: this.#order.budget.usdMicros,
      ledger: (most) => this.#context.reserve(most),
      folder: this.#context.folder,
      prices: this.#shop.prices,
      modelTools: this.modelTools,
      note: (line) => this.#context.print(line),
      took: (call, from) => this.#context.took(call, from),
    })
  }

  #left(): number | null {
    const { usdMicros } = this.#order.budget
    const spent = this.#gateway?.spentMicros ?? this.#reportedMicros
    return usdMicros === null ? null : Math.max(0, usdMicros - spent) / 1_000_000
  }

  get #isOverdrawn(): boolean {
    const { usdMicros } = this.#order.budget
    return usdMicros !== null && this.#reportedMicros >= usdMicros && this.#reportedMicros > 0
  }

  #onEvent(event: AgentEvent): void {
    if (event.type === 'session') {
      // The session of the run is its author's.
      if (!this.#isReviewer) this.#tell({ type: 'session_known', agentSession: event.id })
    } else if (event.type === 'usage') {
      // The gateway has counted it already.
      if (this.#gateway) return
      const bill = this.#billed(event.usage)
      if (this.#tell(bill) && bill.currency === 'USD')
        this.#reportedMicros += Math.ceil(bill.amount * 1_000_000)
    } else for (const line of lineOf(event).split('\n')) this.#context.print(line)
  }

  /** An agent's own words go no further than the log where they are not what the server takes. */
  #tell(event: RunnerEvent): boolean {
    const makesSense = Check(RunnerEvent, event)
    if (makesSense) this.#context.report(event)
    else this.#context.print(`Ignored, because it is not valid: ${JSON.stringify(event).slice(0, 500)}`)
    return makesSense
  }

  #billed({ amount, ...told }: AgentUsage): Extract<RunnerEvent, { type: 'usage' }> {
    const { model = this.#signIn?.model, provider = this.#signIn?.api } = told
    const usage = { ...told, ...(model ? { model } : {}), ...(provider ? { provider } : {}) }
    if (amount !== null) return { ...usage, type: 'usage', source: 'agent', amount }
    const plain = { input_tokens: usage.input ?? 0, output_tokens: usage.output ?? 0 }
    const bill = {
      ...plain,
      cache_read_tokens: usage.cacheRead ?? 0,
      cache_write_tokens: usage.cacheWrite ?? 0,
    }
    const tariff = {
      api: (usage.provider ?? 'openai') as Api,
      models: [usage.model ?? 'unknown'],
      own: this.#shop.prices,
    }
    // Where what was cached is more than what was read, all of it counts as read.
    const { usd, table } = (priceOf(tariff, bill) ?? priceOf(tariff, plain))!
    return { ...usage, type: 'usage', source: 'agent', amount: usd, currency: 'USD', priceTable: table }
  }
}

const broke: TurnEnd = { ended: 'limit', error: 'The budget of the run is used up.', isBudget: true }

/** What a turn is about. A survey is about no story; what people made of earlier ones counts as said since. */
const subjectOf = (order: AnyOrder): Pick<Task, 'story' | 'stage' | 'round'> =>
  order.job === 'survey'
    ? { story: '', stage: 'planning', round: order.known.filter(({ status }) => status !== 'open').length }
    : { story: order.story.key, stage: order.stage, round: order.guidance.length }

const sessionOf = (order: AnyOrder) => (order.job === 'survey' ? null : order.agentSession)

/** The order in the words of one of its repositories; null: of the first. What was allowed elsewhere is not there. */
export function orderIn<O extends AnyOrder>(order: O, name: string | null): O {
  if (order.job === 'survey' || !order.others) return order
  const mine = name ?? order.repository.name
  const exceptions = order.exceptions.flatMap((path) => {
    if (path.startsWith(`${mine}:`)) return [path.slice(mine.length + 1)]
    const isNamed = [order.repository, ...order.others!].some((one) => path.startsWith(`${one.name}:`))
    return name === null && !isNamed ? [path] : []
  })
  return { ...order, exceptions }
}

/** What of the worktree it may read and not change: where it is only to look, everything that is there. */
const closedIn = (worktree: string, order: AnyOrder, files: string[]): string[] =>
  order.job === 'survey' ? topOf(worktree, files) : deniedIn(worktree, order, files)

/** What an end that is not a normal one comes to. */
export function failureOf(end: Exclude<TurnEnd, { ended: 'normally' }>): WorkFailed {
  if (end.ended === 'cancelled') return new WorkFailed('The agent was cancelled.', 'transient')
  if (end.ended === 'limit') return new WorkFailed(end.error, end.isBudget ? 'budget' : 'persistent')
  return new WorkFailed(end.error, end.transient ? 'transient' : 'persistent')
}
