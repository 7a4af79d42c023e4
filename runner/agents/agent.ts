import type { RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { Box, Limits } from '../box/box.ts'
import type { Gateway, Usage } from '../gateway/gateway.ts'

/** What an agent tells while it works, in our words. Nothing of an agent's own protocol goes further than its file. */
export type AgentEvent =
  | { type: 'session'; id: string }
  | { type: 'said'; text: string }
  | { type: 'thought'; text: string }
  | { type: 'tool_began'; id: string; name: string; input: string }
  | { type: 'tool_ended'; id: string; ok: boolean; output: string }
  /** It wanted something and was not let. */
  | { type: 'denied'; what: string }
  /** Its own numbers, as a difference since it last told; counted only where no gateway does. */
  | { type: 'usage'; usage: Usage }
  /** A line it printed that means nothing to us. */
  | { type: 'printed'; line: string }

/** A question with two to four answers; the agent waits or ends its turn, and a person answers. */
export interface Question {
  question: string
  context: string
  options: { id: string; label: string }[]
  recommendation: string
}

/** One thing that an agent is asked to do, from its start to its end. */
export interface Turn {
  prompt: string
  /** What holds it: where it works, its home, where results go. */
  limits: Limits
  /** Null: the agent's own default. */
  model: string | null
  /** A session of its own to be taken up again. */
  session: string | null
  /** Null: nothing is metered here, and the agent signs in by itself. */
  gateway: Gateway | null
  /** A plan is made by looking; nothing but the result folder is written. */
  readOnly: boolean
  hear: (event: AgentEvent) => void
  /** The turn is over when this is called: whoever answers is a person, later. */
  ask: (question: Question) => void
  /** `cancel` is polite, `abort` is not. */
  cancelled: AbortSignal
}

/** How a turn ended. Whether anything came of it is seen in the worktree and the result folder, not here. */
export type TurnEnd =
  | { ended: 'normally' }
  | { ended: 'cancelled' }
  /** The model refused: no money is left, or the agent's own limit of turns or money was reached. */
  | { ended: 'limit'; error: string }
  /** `transient`: the model was away or busy, and the same may work later. */
  | { ended: 'failed'; error: string; transient: boolean }

/** A coding agent that can be launched on this machine. */
export interface Agent {
  readonly executor: RunnerExecutor
  /** What its box must let it read besides the usual: where it is installed. */
  readonly readable: string[]
  turn(turn: Turn, box: Box): Promise<TurnEnd>
}
