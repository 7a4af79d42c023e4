import type { Beaten, RunnerEvent } from '@signalbox/contract/runner/messages.ts'

/** The calls of the protocol, by the word that names them. */
export type CallName =
  | 'challenge'
  | 'register'
  | 'acquire'
  | 'beat'
  | 'reports'
  | 'log'
  | 'keep_file'
  | 'fetch_file'
  | 'credential'
  | 'leave'

/** What goes wrong with an answer. */
export type Fault = {
  call: CallName
  /** Which of the calls, counted from 1, since the scenario began; 1 unless said. */
  from?: number
  /** Only beats that name an order are counted. */
  withOrders?: true
  /** How many in a row; 1 unless said. */
  times?: number
} & (
  | { does: 'drop the answer' | 'close' | 'trickle' | 'answer garbage' }
  | { does: 'delay'; seconds: number }
  | { does: 'refuse'; status: number; code?: string; retryAfterSeconds?: number; next?: number }
  /** Something in between answers in the server's place: a page for people, without a code. */
  | { does: 'answer as a proxy'; status: number }
)

/**
 * What the work of an order does, step by step. It travels as JSON in the description of the story, after the word
 * `rehearse`, for executors that follow it: `scripted` of the runner under test.
 */
export type RehearsalStep =
  | { print: string; times?: number }
  /** Prints the token, as an agent would that found it. */
  | { printToken: true }
  | { report: RunnerEvent }
  /** Ends when it is cancelled. */
  | { wait: number }
  /** Takes no notice of being cancelled, only of being aborted. */
  | { ignoreCancel: number }
  /** Starts a process in a session of its own that ignores SIGTERM, and prints `pid N`. */
  | { leaveProcess: true }
  | { keep: string }
  | { fetch: string }
  /** Asks for what a push needs, and prints `pushed`. */
  | { push: true }
  /** The same tool call, so many times. */
  | { sameCall: number }
  /** An agent's turn without a word, until it is ended. */
  | { silentTurn: true }

export interface OrderSketch {
  rehearsal: RehearsalStep[]
  /** Differs from what the contract says, for a server that is newer than the runner. */
  alsoHas?: Record<string, unknown>
}

/** What the kit waits for. */
export type Condition =
  /** So many calls, answered well or not, since the scenario began. */
  | { call: CallName; times: number }
  /** So many calls since the step before. */
  | { more: CallName; times: number }
  | { reported: RunnerEvent['type']; order?: number }
  | { logged: string; order?: number }
  | { exited: true }

/** What the kit does. */
export type Step =
  | { until: Condition }
  | { wait: number }
  | { start: true }
  | { signal: 'SIGTERM' | 'SIGKILL' }
  | { server: 'away' | 'back' }
  /** From the next beat on. */
  | { stop: 'cancel' | 'abort'; order?: number }
  | { command: Beaten['commands'][number] }
  /** Nothing goes wrong from here on. */
  | { heal: true }
  | { revoke: boolean }
  /** The order is given to someone else: its fence is outdated from here on. */
  | { outdate: number }
  | { offer: OrderSketch }

/** What must be true afterwards, apart from what must always be. */
export interface Expectation {
  /** The types of the reports of each order, in order, `progress` and `usage` left out. */
  reported?: RunnerEvent['type'][][]
  exitCode?: number
  /** At least so many. */
  calls?: Partial<Record<CallName, number>>
  /** No more than so many. */
  callsAtMost?: Partial<Record<CallName, number>>
  /** Before the first `call` at least so many of `comes` had come. */
  before?: { call: CallName; comes: CallName; times: number }
  never?: CallName[]
  logged?: string[]
  notLogged?: string[]
  /** All asks that were sent are one. */
  sameAsk?: true
  /** What the last register said of what it holds. */
  held?: ('working' | 'reported' | 'lost')[]
  /** In the error of the last `failed`. */
  failedWith?: string
}

export interface Scenario {
  /** A sentence. */
  name: string
  slots?: number
  orders?: OrderSketch[]
  faults?: Fault[]
  /** The runner has been started when the first one is taken. */
  steps: Step[]
  expect: Expectation
  /** Answers that a newer server would give. */
  serverAlsoSays?: Record<string, unknown>
  /** The server's clock, compared to ours. */
  clockSeconds?: number
}
