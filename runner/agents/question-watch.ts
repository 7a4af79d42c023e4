import { watch } from 'node:fs'
import { Check, Clean, Errors } from 'typebox/value'
import type { Turn } from './agent.ts'
import { Question } from './question.ts'
import { readResult, removeResult } from './result.ts'

const file = 'question.json'

/** How long an agent may go on after its question was heard. */
const graceMs = 60_000

/** Hears a question that is left in the result folder, once: the tool leaves it there, and so can any agent. */
export class QuestionWatch implements Disposable {
  readonly #turn: Turn
  readonly #watcher: ReturnType<typeof watch> | null
  readonly #overdue = new AbortController()
  #timer: NodeJS.Timeout | undefined
  isAsked = false

  constructor(turn: Turn) {
    this.#turn = turn
    const { out } = turn.limits
    if (out !== null) removeResult(out, file)
    this.#watcher = out === null ? null : watch(out, () => this.look())
    this.#watcher?.on('error', () => {})
  }

  /** Aborts when the agent has asked and does not end its turn. */
  get overdue(): AbortSignal {
    return this.#overdue.signal
  }

  /** `isLast`: the writer has ended, so what cannot be read now never will be. */
  look({ isLast = false } = {}): void {
    const { out } = this.#turn.limits
    if (this.isAsked || out === null) return
    const text = readResult(out, file)
    if (text === null) return
    const question = parsed(text)
    if (!Check(Question, question) || !question.options.some(({ id }) => id === question.recommendation)) {
      if (isLast)
        this.#turn.onEvent({ type: 'printed', line: `${file} is not a valid question: ${whyNot(question)}` })
      return
    }
    this.isAsked = true
    this.#timer = setTimeout(() => this.#overdue.abort(), graceMs)
    this.#timer.unref()
    // Nothing else that stands there goes further.
    this.#turn.ask(Clean(Question, question) as Question)
  }

  [Symbol.dispose](): void {
    this.#watcher?.close()
    clearTimeout(this.#timer)
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function whyNot(value: unknown): string {
  if (value === null) return 'it is not JSON'
  const [error] = Errors(Question, value)
  return error
    ? `${error.instancePath} ${error.message}`.trim()
    : 'the recommendation is not one of the options'
}
