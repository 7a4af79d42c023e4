import type { AgentEvent, Turn, TurnEnd } from './agent.ts'
import { failure } from './failure.ts'
import { type Dialect, type NativeLaunch, nativeAgent, type Reader, textOf } from './native.ts'
import { presets } from './presets.ts'
import type { Setup } from './setup.ts'
import { usageSinceLast } from './usage-totals.ts'

/** Claude Code by its own command line. */
export const claudeAgent = (launch: NativeLaunch) => nativeAgent(claude, launch)

const claude: Dialect = {
  preset: presets.claude_code,
  args: (turn, setup) => [
    ...['-p', '--output-format', 'stream-json', '--verbose'],
    // What the repository says about permissions and servers does not count.
    ...['--setting-sources', '', '--strict-mcp-config'],
    ...(setup.askServer ? ['--mcp-config', servers(setup.askServer)] : []),
    ...permissions(setup),
    ...(setup.out === null ? [] : ['--add-dir', setup.out]),
    ...setup.beside.flatMap(({ folder }) => ['--add-dir', folder]),
    ...(turn.model === null ? [] : ['--model', turn.model]),
    ...(turn.budgetUsd === null ? [] : ['--max-budget-usd', String(turn.budgetUsd)]),
    ...(turn.session === null ? [] : ['--resume', turn.session]),
  ],
  reader: (turn, emit) => new ClaudeReader(turn, emit),
}

const servers = ([command, ...args]: string[]) =>
  JSON.stringify({ mcpServers: { signalbox: { type: 'stdio', command, args } } })

/**
 * In a box everything is allowed, because the box holds. Without one its own rules are all there is: a bare tool name
 * would allow it everywhere, so edits are confined to folders. The shell gets around them.
 */
function permissions({ isBoxed, readOnly, worktree, out, denied, beside }: Setup): string[] {
  // A rule with two slashes is about a path from the root; one that begins in its folder would count for --add-dir too.
  const edits = (path: string) => [`Edit(/${path})`, `Edit(/${path}/**)`]
  const trees = [{ folder: worktree, denied }, ...beside]
  const closed = trees.flatMap((tree) =>
    (readOnly ? [''] : tree.denied).flatMap((path) => edits(`${tree.folder}/${path}`.replace(/\/$/, ''))),
  )
  const refused = closed.length === 0 ? [] : ['--disallowedTools', closed.join(',')]
  if (isBoxed) return ['--permission-mode', 'bypassPermissions', ...refused]
  const open = [
    ...(readOnly ? [] : trees.flatMap(({ folder }) => edits(folder))),
    ...(out === null ? [] : edits(out)),
    ...['Read', 'Glob', 'Grep', 'Bash', 'TodoWrite', 'mcp__signalbox__request_human_input'],
  ]
  return ['--permission-mode', 'dontAsk', '--allowedTools', open.join(','), ...refused]
}

interface Part {
  type: string
  text?: string
  thinking?: string
  id?: string
  name?: string
  input?: unknown
  tool_use_id?: string
  is_error?: boolean
  content?: unknown
}

interface Result {
  subtype: string
  is_error: boolean
  session_id: string
  result?: string
  errors?: string[]
  permission_denials?: { tool_name: string; tool_input: unknown }[]
  modelUsage?: Record<
    string,
    {
      inputTokens: number
      outputTokens: number
      cacheReadInputTokens: number
      cacheCreationInputTokens: number
      costUSD: number
    }
  >
}

export class ClaudeReader implements Reader {
  readonly #home: string
  readonly #emit: (event: AgentEvent) => void
  #session: string | null = null
  end: TurnEnd | null = null

  constructor({ limits }: Pick<Turn, 'limits'>, emit: (event: AgentEvent) => void) {
    this.#home = limits.home
    this.#emit = emit
  }

  read(event: Record<string, unknown>): void {
    if (typeof event.session_id === 'string' && event.session_id !== this.#session) {
      this.#session = event.session_id
      this.#emit({ type: 'session', id: event.session_id })
    }
    if (event.type === 'assistant' || event.type === 'user') {
      const { content } = event.message as { content: Part[] | string }
      for (const part of Array.isArray(content) ? content : []) this.#part(part)
    }
    if (event.type === 'result') this.#result(event as unknown as Result)
  }

  #part(part: Part): void {
    if (part.type === 'text') this.#emit({ type: 'said', text: part.text! })
    if (part.type === 'thinking') this.#emit({ type: 'thought', text: part.thinking! })
    if (part.type === 'tool_use')
      this.#emit({ type: 'tool_began', id: part.id!, name: part.name!, input: textOf(part.input) })
    if (part.type === 'tool_result')
      this.#emit({
        type: 'tool_ended',
        id: part.tool_use_id!,
        ok: part.is_error !== true,
        output: textOf(part.content),
      })
  }

  #result(result: Result): void {
    for (const { tool_name: tool, tool_input: input } of result.permission_denials ?? [])
      this.#emit({ type: 'denied', what: `${tool} ${textOf(input)}`.slice(0, 2_000) })
    this.#bill(result)
    const words = [result.result, ...(result.errors ?? [])].filter(Boolean).join('\n')
    if (result.subtype === 'error_max_turns' || result.subtype === 'error_max_budget_usd')
      this.end = {
        ended: 'limit',
        error: words || `The agent stopped at its own limit: ${result.subtype}.`,
      }
    else if (result.is_error) this.end = failure(words || result.subtype)
    else this.end = { ended: 'normally' }
  }

  /** Its numbers per model are totals of the session, helper calls included. */
  #bill({ session_id: session, modelUsage = {} }: Result): void {
    for (const [model, told] of Object.entries(modelUsage)) {
      const totals = {
        amount: told.costUSD,
        cacheRead: told.cacheReadInputTokens,
        cacheWrite: told.cacheCreationInputTokens,
        input: told.inputTokens + told.cacheReadInputTokens + told.cacheCreationInputTokens,
        output: told.outputTokens,
      }
      const named = Object.fromEntries(
        Object.entries(totals).map(([name, total]) => [`${model} ${name}`, total]),
      )
      const since = usageSinceLast(this.#home, session, named)
      const of = (name: keyof typeof totals) => since[`${model} ${name}`]!
      if (of('input') === 0 && of('output') === 0) continue
      this.#emit({
        type: 'usage',
        usage: {
          ...{ amount: of('amount'), currency: 'USD', provider: 'anthropic', model },
          ...{
            input: of('input'),
            cacheRead: of('cacheRead'),
            cacheWrite: of('cacheWrite'),
            output: of('output'),
          },
        },
      })
    }
  }
}
