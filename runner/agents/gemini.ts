import type { AgentEvent, TurnEnd } from './agent.ts'
import { failure } from './failure.ts'
import { type Dialect, type NativeLaunch, nativeAgent, type Reader, textOf } from './native.ts'
import { presets } from './presets.ts'

/** Gemini CLI by its own command line. */
export const geminiAgent = (launch: NativeLaunch) => nativeAgent(gemini, launch)

const gemini: Dialect = {
  preset: presets.gemini,
  args: (turn, setup) => [
    ...['-o', 'stream-json', '--approval-mode', 'yolo'],
    ...(turn.session === null ? [] : ['--resume', turn.session]),
    ...presets.gemini.configure(setup).args,
  ],
  reader: (_, emit) => new GeminiReader(emit),
}

interface Stats {
  models?: Record<string, { input_tokens?: number; cached?: number; output_tokens?: number }>
}

export class GeminiReader implements Reader {
  readonly #emit: (event: AgentEvent) => void
  #errors: string[] = []
  end: TurnEnd | null = null

  constructor(emit: (event: AgentEvent) => void) {
    this.#emit = emit
  }

  read(event: Record<string, unknown>): void {
    switch (event.type) {
      case 'init':
        this.#emit({ type: 'session', id: String(event.session_id) })
        break
      case 'message':
        if (event.role === 'assistant') this.#emit({ type: 'said', text: textOf(event.content) })
        break
      case 'tool_use':
        this.#emit({
          type: 'tool_began',
          id: String(event.tool_id),
          name: String(event.tool_name),
          input: textOf(event.parameters),
        })
        break
      case 'tool_result':
        this.#toolEnded(event)
        break
      case 'error':
        this.#errors.push(textOf(event.message))
        break
      case 'result':
        this.#result(event)
        break
    }
  }

  #toolEnded(event: Record<string, unknown>): void {
    const error = event.error as { type?: string; message?: string } | undefined
    if (error?.type === 'policy_violation') this.#emit({ type: 'denied', what: textOf(error.message) })
    this.#emit({
      type: 'tool_ended',
      id: String(event.tool_id),
      ok: event.status === 'success',
      output: textOf(event.output ?? error?.message),
    })
  }

  /** Input includes what was cached; money is not told. */
  #result(event: Record<string, unknown>): void {
    const { models = {} } = (event.stats ?? {}) as Stats
    for (const [model, { input_tokens: input, cached, output_tokens: output }] of Object.entries(models)) {
      if (!input && !output) continue
      const tokens = { input: input ?? 0, cacheRead: cached ?? 0, output: output ?? 0 }
      this.#emit({
        type: 'usage',
        usage: { amount: null, currency: 'USD', provider: 'google', model, ...tokens },
      })
    }
    if (event.status === 'success') this.end = { ended: 'normally' }
    else
      this.end = failure(
        [textOf((event.error as { message?: string })?.message ?? event.error), ...this.#errors].join('\n'),
      )
  }
}
