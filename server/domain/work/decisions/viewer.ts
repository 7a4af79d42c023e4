import type { Context } from '../../context.ts'
import type { Viewer } from './store.ts'

/** Whose inbox is looked at: that of the person who acts. */
export const viewerOf = ({ actor, clock }: Context): Viewer => ({
  personId: actor.type === 'human' ? actor.userId : null,
  now: clock.now(),
})
