import type { Context } from '../../context.ts'
import { housekeeping } from '../../record/audit/change.ts'
import type { Calling, Destination } from './call.ts'
import { secretsOf } from './secret.ts'
import {
  type Due,
  releaseQueuesOfAllWorkspaces,
  selectDueMessages,
  selectQueuesOfAllWorkspaces,
  takeQueuesOfAllWorkspaces,
} from './store.ts'

export interface Queue {
  id: string
  workspaceId: string
}

/** A message with where it goes. */
export interface DueMessage extends Due {
  endpoint: Destination & { workspaceId: string }
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

/** What an endpoint is to be sent next. `busy` are the messages that are under way. Its secrets are opened once for all. */
export async function nextMessages(
  { db, clock, calling }: Services & { calling: Pick<Calling, 'secrets'> },
  { id, workspaceId }: Queue,
  { node, busy, most }: { node: string; busy: string[]; most: number },
): Promise<DueMessage[]> {
  const now = clock.now()
  const found = await selectDueMessages(db, workspaceId, id, { node, busy, most, now })
  if (!found) return []
  const { endpoint, messages } = found
  const secrets = secretsOf(endpoint, calling.secrets, now)
  const destination = { id, workspaceId, url: endpoint.url, secrets }
  return messages.map((message) => ({ ...message, endpoint: destination }))
}

/** Leaves the queues to the other nodes. */
export const releaseQueues = ({ db }: Pick<Context, 'db'>, node: string): Promise<void> =>
  housekeeping(db, 'release webhook queues', (tx) => releaseQueuesOfAllWorkspaces(tx, node))
