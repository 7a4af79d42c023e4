import { housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import {
  type DueMessage,
  releaseQueuesOfAllWorkspaces,
  selectDueMessages,
  selectQueuesOfAllWorkspaces,
  takeQueuesOfAllWorkspaces,
} from './store.ts'

export type { DueMessage } from './store.ts'

export interface Queue {
  id: string
  workspaceId: string
}

type Services = Pick<Context, 'db' | 'clock'>

/** The endpoints with something to send that are this node's to work on. What no living node has, it takes. */
export async function takeQueues({ db, clock }: Services, node: string): Promise<Queue[]> {
  const found = await selectQueuesOfAllWorkspaces(db, node, clock.now())
  const free = found.filter(({ isOurs }) => !isOurs).map(({ id }) => id)
  const taken =
    free.length === 0
      ? []
      : await housekeeping(db, 'take webhook queues', (tx) => takeQueuesOfAllWorkspaces(tx, node, free))
  return found.filter(({ id, isOurs }) => isOurs || taken.includes(id))
}

/** What an endpoint is to be sent next. `busy` are the messages that are under way. */
export const nextMessages = (
  { db, clock }: Services,
  { id, workspaceId }: Queue,
  { node, busy, most }: { node: string; busy: string[]; most: number },
): Promise<DueMessage[]> => selectDueMessages(db, workspaceId, id, { node, busy, most, now: clock.now() })

/** Leaves the queues to the other nodes. */
export const releaseQueues = ({ db }: Pick<Context, 'db'>, node: string): Promise<void> =>
  housekeeping(db, 'release webhook queues', (tx) => releaseQueuesOfAllWorkspaces(tx, node))
