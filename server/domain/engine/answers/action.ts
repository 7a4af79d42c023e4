import type { DecisionEffect, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Entry } from '../../audit/change.ts'
import type { Context } from '../../context.ts'
import type { Answerable } from '../decision-store.ts'
import type { HeldRun } from '../hold.ts'

/** What an option acts on: the answered decision, its option and note, and its run, held, where it has one. */
export interface Answered {
  decision: Answerable
  option: Omit<DecisionOption, 'recommended'>
  note: string | null
  run: HeldRun | null
}

export interface Taken {
  effects: DecisionEffect[]
  entries: Entry[]
}

/** What an option does once it is chosen. Changes rows and wakes the engine; never calls the outside. */
export type Action = (ctx: Context, tx: Tx, answered: Answered) => Promise<Taken>
