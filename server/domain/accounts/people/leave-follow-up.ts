import type { Tx } from '../../../infra/db/db.ts'
import { newId } from '../../../infra/ids.ts'
import { type FollowUp, insertFollowUp } from './store.ts'

/** So that it is not done right behind the answer either. */
const laterMs = 250

/**
 * How long an answer takes must not tell whether an address is known. So what only a known one needs, its audit entry
 * or its mail, is done later (settle-follow-ups.ts), and every answer leaves the same note, also for a stranger.
 */
export async function leaveFollowUp(tx: Tx, { personId, ...followUp }: Omit<FollowUp, 'id'>): Promise<void> {
  const dueAt = new Date(followUp.at.getTime() + laterMs)
  await insertFollowUp(tx, personId, { ...followUp, id: newId(followUp.at) }, dueAt)
}
