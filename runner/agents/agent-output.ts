import type { AgentEvent, Turn, TurnEnd } from './agent.ts'
import { failure } from './failure.ts'

/** Passes on what an agent tells, and notes what decides how its turn ended. */
export class AgentOutput {
  readonly #turn: Turn
  #worked = 0
  #failed = 0
  #lastFailure = ''

  constructor(turn: Turn) {
    this.#turn = turn
  }

  emit(event: AgentEvent): void {
    if (event.type === 'tool_ended') {
      if (event.ok) this.#worked++
      else {
        this.#failed++
        this.#lastFailure = event.output
      }
    }
    this.#turn.onEvent(event)
  }

  /**
   * What an agent says of its end, corrected by what is known better: it was told to stop, the money was used up, or
   * nothing that it tried has worked, which some call a success.
   */
  settle(end: TurnEnd): TurnEnd {
    if (this.#turn.cancelled.aborted) return { ended: 'cancelled' }
    if (this.#turn.gateway?.isExhausted)
      return { ended: 'limit', error: 'The budget of this run is used up.' }
    if (end.ended === 'normally' && this.#failed > 0 && this.#worked === 0)
      return failure(`Every tool call failed, the last with: ${this.#lastFailure.slice(0, 500)}`, false)
    return end
  }
}
