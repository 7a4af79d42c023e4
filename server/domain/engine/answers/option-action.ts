import type { DecisionEffect, DecisionOption } from '@signalbox/contract/decision.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Entry } from '../../record/audit/change.ts'
import type { Answerable } from '../lifecycle/decision-store.ts'
import type { LockedRun } from '../machine/lock.ts'

/** What an option acts on: the answered decision, its option and note, and its run, held, where it has one. */
export interface Answered {
  decision: Answerable
  option: Omit<DecisionOption, 'recommended'>
  note: string | null
  run: LockedRun | null
}

export interface Taken {
  effects: DecisionEffect[]
  entries: Entry[]
}

/** What an option does once it is chosen. Changes rows and wakes the engine; never calls the outside. */
export type Action = (ctx: Context, tx: Tx, answered: Answered) => Promise<Taken>
