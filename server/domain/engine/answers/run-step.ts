import type { DecisionEffect } from '@signalbox/contract/decision.ts'
import { needsGuidance } from '@signalbox/contract/note-needed.ts'
import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { advance } from '../lifecycle/advance.ts'
import type { RunEvent } from '../machine/machine.ts'
import type { Answered, Taken } from './option-action.ts'

/** Takes the decision's run one step, and tells what that was. Most actions are this. */
export async function runStep(
  ctx: Context,
  tx: Tx,
  { decision, run }: Answered,
  event: RunEvent,
  effect: Omit<DecisionEffect, 'target'>,
): Promise<Taken> {
  const advanced = run && (await advance(ctx, tx, run, event))
  if (!advanced) {
    // Its run ended or moved on in a way that should have closed the decision: nothing is done by halves.
    throw new DomainError(
      'decision_not_pending',
      `Decision \`${decision.key}\` cannot be applied: its run is not waiting for it.`,
    )
  }
  const effects: DecisionEffect[] = [{ ...effect, target: { type: 'run', id: run.key } }]
  if (advanced.decision) {
    effects.push({
      type: 'decision_raised',
      status: 'done',
      target: { type: 'decision', id: advanced.decision },
      message: `Next question: ${advanced.decision}.`,
    })
  }
  return { effects, entries: advanced.entries }
}

/**
 * What the run is told: the person's note or, without one, what the option says. One that only announces guidance says
 * nothing, so the agent is told that none was given instead of looking for it.
 */
export const guidanceOf = ({ note, option }: Pick<Answered, 'note' | 'option'>): string =>
  note ?? (needsGuidance(option) ? withoutGuidance : option.label)

const withoutGuidance =
  'A person sent the work back and did not say what to change. Check it against the story, its acceptance criteria and what failed, and change what falls short.'
