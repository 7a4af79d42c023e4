import type { runStages } from '@signalbox/contract/run.ts'
import type { RunnerEvent, RunnerExecutor } from '@signalbox/contract/runner/messages.ts'
import type { Box, Limits } from '../box/box.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { Question } from './question.ts'
import type { SignIn } from './sign-in.ts'

type Usage = Extract<RunnerEvent, { type: 'usage' }>

/** An agent's own numbers. `amount` is null where it tells tokens and no money: a price table has to say. */
export type AgentUsage = Omit<Usage, 'type' | 'amount' | 'source' | 'priceTable'> & { amount: number | null }

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
  | { type: 'usage'; usage: AgentUsage; isUnderWay?: true }
  /** A line it printed that means nothing to us. */
  | { type: 'printed'; line: string }

/** What a turn belongs to. A language model is told by the prompt; a program and a script are told by this. */
export interface Task {
  run: string
  attempt: number
  /** Empty: a survey, which belongs to none. */
  story: string
  stage: (typeof runStages)[number]
  purpose: 'plan' | 'spec' | 'implement' | 'demonstrate' | 'propose' | 'review'
  /** 0 at first; one more with each thing that people or gates have said since. */
  round: number
}

/** One thing that an agent is asked to do, from its start to its end. */
export interface Turn {
  task: Task
  prompt: string
  /** What holds it: where it works, its home, where results go. */
  limits: Limits
  /** Null: the agent's own default. */
  model: string | null
  /** A session of its own to be resumed. */
  session: string | null
  /** Null: nothing is metered here. Where the box moves it, `limits.environment` says so in `SIGNALBOX_MODEL_URL`. */
  gateway: Gateway | null
  /** What it signs in with on its own, where there is no gateway and the operator allows it. */
  signIn: SignIn | null
  /** For agents that keep to a cap of their own, beside the gateway's. */
  budgetUsd: number | null
  /** A plan is made by looking; nothing but the result folder is written. */
  readOnly: boolean
  onEvent: (event: AgentEvent) => void
  /** The turn is over when this is called: a person answers, later. */
  ask: (question: Question) => void
  /** Aborted with the reason `abort`, the agent is not waited for; otherwise it may end its turn. */
  cancelled: AbortSignal
}

/** How a turn ended. Whether it changed anything is seen in the worktree and the result folder, not here. */
export type TurnEnd =
  | { ended: 'normally' }
  | { ended: 'cancelled' }
  /**
   * The model refused, or the agent's own limit of turns or money was reached. `isBudget`: the run's money is used up.
   */
  | { ended: 'limit'; error: string; isBudget?: true }
  /** `transient`: the model was away or busy, and the same may work later. */
  | { ended: 'failed'; error: string; transient: boolean }

/** A coding agent that can be launched on this machine. */
export interface Agent {
  readonly executor: RunnerExecutor
  /** As people call it, where one executor stands for many: `qwen`, or the name of a program. */
  readonly name: string
  /** What its box must also let it read: where it is installed. Each turn adds it. */
  readonly readable: string[]
  turn(turn: Turn, box: Box): Promise<TurnEnd>
}
