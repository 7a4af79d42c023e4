import type { AgentEvent, Turn, TurnEnd } from './agent.ts'
import { failure } from './failure.ts'
import { type Dialect, type NativeLaunch, nativeAgent, type Reader, textOf } from './native.ts'
import { presets } from './presets.ts'
import { usageSinceLast } from './usage-totals.ts'

/** Codex by its own command line. Sandbox, approvals and servers are in its configuration. */
export const codexAgent = (launch: NativeLaunch) => nativeAgent(codex, launch)

const codex: Dialect = {
  preset: presets.codex,
  args: (turn, setup) => [
    ...['exec', ...(turn.session === null ? [] : ['resume'])],
    ...['--json', '--skip-git-repo-check', '--ignore-rules'],
    ...(turn.session === null ? ['-C', setup.worktree, '-'] : [turn.session, '-']),
  ],
  reader: (turn, emit) => new CodexReader(turn, emit),
}

interface Item {
  id: string
  type: string
  status?: string
  text?: string
  message?: string
  command?: string
  aggregated_output?: string
  exit_code?: number | null
  changes?: { path: string; kind: string }[]
  server?: string
  tool?: string
  arguments?: unknown
  result?: unknown
  error?: { message?: string } | null
}

const tools = ['command_execution', 'file_change', 'mcp_tool_call']

export class CodexReader implements Reader {
  readonly #home: string
  readonly #model: string | null
  readonly #emit: (event: AgentEvent) => void
  readonly #begun = new Set<string>()
  #session = ''
  #errors: string[] = []
  end: TurnEnd | null = null

  constructor({ limits, model }: Pick<Turn, 'limits' | 'model'>, emit: (event: AgentEvent) => void) {
    this.#home = limits.home
    this.#model = model
    this.#emit = emit
  }

  read(event: Record<string, unknown>): void {
    switch (event.type) {
      case 'thread.started':
        this.#session = String(event.thread_id)
        this.#emit({ type: 'session', id: this.#session })
        break
      case 'item.started':
        this.#began(event.item as Item)
        break
      case 'item.completed':
        this.#completed(event.item as Item)
        break
      case 'turn.completed':
        this.#bill(event.usage as Record<string, number>)
        this.end = { ended: 'normally' }
        break
      case 'turn.failed':
        this.end = failure(
          [(event.error as { message?: string })?.message, ...this.#errors].filter(Boolean).join('\n'),
        )
        break
      case 'error':
        this.#errors.push(textOf(event.message))
        break
    }
  }

  #began(item: Item): void {
    if (!tools.includes(item.type) || this.#begun.has(item.id)) return
    this.#begun.add(item.id)
    const [name, input] =
      item.type === 'command_execution'
        ? ['shell', item.command!]
        : item.type === 'file_change'
          ? ['edit', item.changes!.map(({ path }) => path).join('\n')]
          : [`${item.server}.${item.tool}`, textOf(item.arguments)]
    this.#emit({ type: 'tool_began', id: item.id, name, input })
  }

  #completed(item: Item): void {
    if (item.type === 'agent_message') this.#emit({ type: 'said', text: item.text! })
    else if (item.type === 'reasoning') this.#emit({ type: 'thought', text: item.text! })
    else if (item.type === 'error') this.#emit({ type: 'printed', line: textOf(item.message) })
    if (!tools.includes(item.type)) return
    this.#began(item)
    if (item.status === 'declined') this.#emit({ type: 'denied', what: item.command ?? item.type })
    this.#emit({
      type: 'tool_ended',
      id: item.id,
      ok: item.status === 'completed',
      output: item.aggregated_output ?? textOf(item.error?.message ?? item.result),
    })
  }

  /** Totals of the thread, over resumed turns too; input includes what was cached, and money is not told. */
  #bill(told: Record<string, number>): void {
    const { input, cacheRead, cacheWrite, output } = usageSinceLast(this.#home, this.#session, {
      input: told.input_tokens ?? 0,
      cacheRead: told.cached_input_tokens ?? 0,
      cacheWrite: told.cache_write_input_tokens ?? 0,
      output: told.output_tokens ?? 0,
    })
    const model = this.#model === null ? {} : { model: this.#model }
    this.#emit({
      type: 'usage',
      usage: {
        ...{ amount: null, currency: 'USD', provider: 'openai', ...model },
        ...{ input: input!, cacheRead: cacheRead!, cacheWrite: cacheWrite!, output: output! },
      },
    })
  }
}
