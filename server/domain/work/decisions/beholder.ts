import type { Context } from '../../context.ts'
import type { Beholder } from './store.ts'

/** Whose inbox is looked at: that of the person who acts. */
export const beholderOf = ({ actor, clock }: Context): Beholder => ({
  personId: actor.type === 'human' ? actor.userId : null,
  now: clock.now(),
})
