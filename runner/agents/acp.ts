import { Readable, Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type ClientContext,
  client,
  type McpServer,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk/unstable'
import type { Box, Boxed } from '../box/box.ts'
import { tailOf } from '../box/tail.ts'
import type { Agent, AgentUsage, Turn, TurnEnd } from './agent.ts'
import { AgentOutput } from './agent-output.ts'
import { boundedLines } from './bounded-lines.ts'
import { failure } from './failure.ts'
import { judge } from './permission.ts'
import type { Preset } from './presets.ts'
import { limitsOf, stopsWhen } from './program.ts'
import { QuestionWatch } from './question-watch.ts'
import { type Configuration, install, type Setup, setupOf } from './setup.ts'
import { usageSinceLast } from './usage-totals.ts'

/** How an agent that speaks the Agent Client Protocol is launched. */
export interface AcpLaunch {
  executor: Agent['executor']['name']
  name: string
  version: string | null
  command: string[]
  /** Folders that it needs on its PATH. */
  path: string[]
  readable: string[]
  configure: (setup: Setup) => Configuration
  takesServers: Preset['takesServers']
  beforeLoading?: Preset['beforeLoading']
  reportsCachedTokensSeparately: Preset['reportsCachedTokensSeparately']
}

/** Any agent by its command line, over the Agent Client Protocol. */
export function acpAgent(launch: AcpLaunch): Agent {
  const { executor, name, version, readable } = launch
  return {
    executor: { name: executor, via: 'acp', version },
    name,
    readable,
    async turn(turn, box) {
      return new Conversation(turn, box, launch).hold()
    },
  }
}

class Conversation {
  readonly #turn: Turn
  readonly #launch: AcpLaunch
  readonly #setup: Setup
  readonly #boxed: Boxed
  readonly #output: AgentOutput
  readonly #errors: () => string
  readonly #told = new Told()
  readonly #begun = new Set<string>()
  #sessionId: string | null = null
  #isReplaying = false

  constructor(turn: Turn, box: Box, launch: AcpLaunch) {
    this.#turn = turn
    this.#launch = launch
    this.#output = new AgentOutput(turn)
    this.#setup = setupOf(turn, box)
    // Where the protocol carries the server that takes questions, it would be there twice if it were configured too.
    const configuration = launch.configure(
      launch.takesServers ? { ...this.#setup, askServer: null } : this.#setup,
    )
    const environment = install(turn, configuration)
    const limits = limitsOf(turn, box, { environment, readable: launch.readable })
    limits.environment.PATH = [...launch.path, limits.environment.PATH].join(':')
    this.#boxed = box.start([...launch.command, ...configuration.args], limits)
    this.#errors = tailOf(this.#boxed.stderr)
  }

  async hold(): Promise<TurnEnd> {
    using questions = new QuestionWatch(this.#turn)
    const connection = client({ name: 'signalbox-runner' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#permit(params))
      .onNotification(methods.client.session.update, ({ params }) => this.#update(params.update))
      .connect(
        ndJsonStream(
          Writable.toWeb(this.#boxed.stdin) as WritableStream<Uint8Array>,
          Readable.toWeb(this.#boxed.stdout.pipe(boundedLines())) as ReadableStream<Uint8Array>,
        ),
      )
    using _stop = stopsWhen(this.#turn, questions, (graceMs) => this.#stop(connection.agent, graceMs))
    try {
      const end = await this.#converse(connection.agent, questions)
      return this.#output.settle(questions.isAsked && end.ended !== 'limit' ? { ended: 'normally' } : end)
    } catch (error) {
      await this.#boxed.end(2_000)
      // What it wrote last is on its way still.
      await Promise.race([finished(this.#boxed.stderr).catch(() => {}), wait(1_000)])
      return this.#output.settle(failure(`${reasonOf(error)}\n${this.#errors()}`))
    } finally {
      connection.close()
      await this.#boxed.end(2_000)
      questions.look({ isLast: true })
    }
  }

  async #converse(agent: ClientContext, questions: QuestionWatch): Promise<TurnEnd> {
    const { agentCapabilities } = await agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
      clientInfo: { name: 'signalbox-runner', version: '1' },
    })
    const session = await this.#session(agent, {
      canResume: agentCapabilities?.sessionCapabilities?.resume != null,
      canLoad: agentCapabilities?.loadSession === true,
    })
    this.#sessionId = session
    this.#output.emit({ type: 'session', id: session })
    if (this.#turn.cancelled.aborted) return { ended: 'cancelled' }
    const answer = await agent.request(methods.agent.session.prompt, {
      sessionId: session,
      prompt: [{ type: 'text', text: this.#turn.prompt }],
    })
    questions.look()
    this.#bill(session, answer)
    return endOf(answer)
  }

  /** The polite way first: the agent ends its turn, and says so. An agent that does not, or cannot yet, is killed. */
  #stop(agent: ClientContext, graceMs: number): void {
    if (this.#sessionId === null || graceMs === 0) return void this.#boxed.end(0)
    void agent.notify(methods.agent.session.cancel, { sessionId: this.#sessionId })
    const timer = setTimeout(() => void this.#boxed.end(0), graceMs)
    void this.#boxed.ended.then(() => clearTimeout(timer))
  }

  async #session(
    agent: ClientContext,
    { canResume, canLoad }: { canResume: boolean; canLoad: boolean },
  ): Promise<string> {
    const { worktree, askServer } = this.#setup
    const mcpServers: McpServer[] =
      askServer && this.#launch.takesServers
        ? [{ name: 'signalbox', command: askServer[0]!, args: askServer.slice(1), env: [] }]
        : []
    const known = this.#turn.session
    if (known !== null && (canResume || canLoad)) {
      const method = canResume ? methods.agent.session.resume : methods.agent.session.load
      this.#isReplaying = true
      this.#launch.beforeLoading?.(this.#turn.limits.home, known)
      try {
        await agent.request(method, { sessionId: known, cwd: worktree, mcpServers })
        return known
      } catch (error) {
        // Its home may be gone: then it begins again, and the prompt has to be enough.
        this.#output.emit({
          type: 'printed',
          line: `Session ${known} no longer exists: ${reasonOf(error)}`,
        })
      } finally {
        this.#isReplaying = false
      }
    }
    const { sessionId } = await agent.request(methods.agent.session.new, { cwd: worktree, mcpServers })
    return sessionId
  }

  #permit({ toolCall, options }: RequestPermissionRequest): RequestPermissionResponse {
    this.#toolBegan(toolCall)
    const { isAllowed, what } = judge(toolCall, this.#setup)
    if (!isAllowed) this.#output.emit({ type: 'denied', what })
    const kinds = isAllowed ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always']
    // `once` before `always`: an agent that is allowed forever does not ask again.
    const option = kinds
      .map((each) => options.find(({ kind }) => kind === each))
      .find((each) => each !== undefined)
    return {
      outcome: option ? { outcome: 'selected', optionId: option.optionId } : { outcome: 'cancelled' },
    }
  }

  #update(update: SessionUpdate): void {
    if (this.#isReplaying) return
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#told.chunk(update._meta)
        if (update.content.type === 'text' && update.content.text !== '')
          this.#output.emit({ type: 'said', text: update.content.text })
        break
      case 'agent_thought_chunk':
        if (update.content.type === 'text') this.#output.emit({ type: 'thought', text: update.content.text })
        break
      case 'tool_call':
      case 'tool_call_update':
        this.#toolBegan(update)
        this.#toolEnded(update)
        break
      case 'usage_update':
        if (update.cost) this.#cost(update.cost)
        break
      case 'current_mode_update':
        this.#output.emit({ type: 'printed', line: `Switched to mode ${update.currentModeId}.` })
        break
    }
  }

  /** Some report a call first when they ask for it, some when it ends. */
  #toolBegan({ toolCallId: id, title, kind, rawInput, locations }: ToolCallUpdate): void {
    if (this.#begun.has(id)) return
    this.#begun.add(id)
    this.#output.emit({
      type: 'tool_began',
      id,
      name: title ?? kind ?? 'tool',
      input: textOf(rawInput ?? locations),
    })
  }

  #toolEnded(update: Extract<SessionUpdate, { sessionUpdate: 'tool_call' | 'tool_call_update' }>): void {
    if (update.status !== 'completed' && update.status !== 'failed') return
    const content = (update.content ?? []).map((part) =>
      part.type === 'content' && part.content.type === 'text' ? part.content.text : textOf(part),
    )
    this.#output.emit({
      type: 'tool_ended',
      id: update.toolCallId,
      ok: update.status === 'completed',
      output: content.join('\n') || textOf(update.rawOutput),
    })
  }

  /**
   * Where the agent signs in itself and nothing else meters it, what it has cost so far is passed on while there is
   * time to stop it.
   */
  #cost(cost: { amount: number; currency: string }): void {
    this.#told.cost = cost
    const { signIn, model, limits } = this.#turn
    if (signIn === null || this.#sessionId === null || !cost.amount) return
    const amount = usageSinceLast(limits.home, this.#sessionId, { cost: cost.amount }).cost!
    if (amount === 0) return
    const usage: AgentUsage = { amount, currency: cost.currency, ...(model === null ? {} : { model }) }
    this.#output.emit({ type: 'usage', usage, isUnderWay: true })
  }

  /** Money is told as a total of the session, tokens as those of the turn. */
  #bill(session: string, answer: PromptResponse): void {
    const tokens = this.#told.tokens(answer, this.#launch.reportsCachedTokensSeparately)
    const { cost } = this.#told
    if (!tokens && !cost) return
    // A model that it has no price for costs nothing, it says.
    const amount = cost?.amount
      ? usageSinceLast(this.#turn.limits.home, session, { cost: cost.amount }).cost!
      : null
    if (amount === 0 && !tokens) return
    const usage: AgentUsage = { amount, currency: cost?.currency ?? 'USD', ...tokens }
    if (this.#turn.model !== null) usage.model = this.#turn.model
    this.#output.emit({ type: 'usage', usage })
  }
}

type Tokens = Pick<AgentUsage, 'input' | 'cacheRead' | 'cacheWrite' | 'output'>
type Counts = Record<string, number | undefined>

/** What an agent reports about its use, in the places where agents do. */
class Told {
  cost: { amount: number; currency: string } | null = null
  #chunks: Tokens | null = null

  /** Qwen counts each call of the model on a piece of its answer. */
  chunk(meta: SessionUpdate['_meta']): void {
    const usage = (meta as { usage?: Counts } | null)?.usage
    if (!usage) return
    this.#chunks ??= { input: 0, cacheRead: 0, output: 0 }
    this.#chunks.input! += usage.inputTokens ?? 0
    this.#chunks.cacheRead! += usage.cachedReadTokens ?? usage.cachedTokens ?? 0
    this.#chunks.output! += usage.outputTokens ?? 0
  }

  tokens(answer: PromptResponse, reportsCachedTokensSeparately: boolean): Tokens | null {
    const { usage } = answer as { usage?: Counts | null }
    if (usage) {
      const cacheRead = usage.cachedReadTokens ?? 0
      const cacheWrite = usage.cachedWriteTokens ?? 0
      const cached = reportsCachedTokensSeparately ? cacheRead + cacheWrite : 0
      return {
        input: (usage.inputTokens ?? 0) + cached,
        cacheRead,
        cacheWrite,
        output: usage.outputTokens ?? 0,
      }
    }
    // Gemini.
    const quota = (answer._meta as { quota?: { token_count?: Counts } } | null)?.quota?.token_count
    if (quota) return { input: quota.input_tokens ?? 0, output: quota.output_tokens ?? 0 }
    return this.#chunks
  }
}

function endOf({ stopReason }: PromptResponse): TurnEnd {
  switch (stopReason) {
    case 'end_turn':
      return { ended: 'normally' }
    case 'max_tokens':
    case 'max_turn_requests':
      return { ended: 'limit', error: `The agent stopped at its own limit: ${stopReason}.` }
    case 'refusal':
      return failure('The model refused to continue.')
    default:
      return failure(`The agent ended its turn unexpectedly: ${stopReason}.`)
  }
}

const textOf = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)

/** What stands behind an error of the protocol: the agents put the reason into its data. */
function reasonOf(error: unknown): string {
  const { message, data } = error as { message?: string; data?: unknown }
  return [message ?? String(error), textOf(data)].filter((part) => part !== '').join(': ')
}
