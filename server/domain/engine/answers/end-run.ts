import type { Tx } from '../../../infra/db/db.ts'
import type { Context } from '../../context.ts'
import type { Answered, Taken } from './option-action.ts'
import { runStep } from './run-step.ts'

/** Ends the run and returns its story to Backlog, with what the person wrote for it. */
export async function endRun(ctx: Context, tx: Tx, answered: Answered, note: string | null): Promise<Taken> {
  const event = { type: 'given_up', by: ctx.actor.name, note } as const
  const { effects, entries } = await runStep(ctx, tx, answered, event, {
    type: 'run_ended',
    status: 'done',
    message: 'The run has ended.',
  })
  const story = answered.run!.story.key
  return {
    entries,
    effects: [
      ...effects,
      {
        type: 'story_returned',
        status: 'done',
        target: { type: 'story', id: story },
        message: `${story} is back in Backlog${note ? ' with your note' : ''}.`,
      },
    ],
  }
}
