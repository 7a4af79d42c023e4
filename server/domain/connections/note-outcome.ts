import { housekeeping } from '../audit/change.ts'
import type { Context } from '../context.ts'
import type { CallOutcome, Connection } from '../ports/connection.ts'
import { updateHealth } from './store.ts'

type Called = Pick<Connection, 'id' | 'workspaceId'>

/** Writes down how a connection fares: the last success, the last refusal in words, the limit left. */
async function noteOutcome(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, workspaceId }: Called,
  outcome: CallOutcome,
): Promise<void> {
  await housekeeping(db, 'note how a connection fares', (tx) =>
    updateHealth(tx, workspaceId, id, outcome, clock.now()),
  )
}

/** While nothing changes, it is written this often at most: an import makes many calls. */
const apartMs = 10_000
const mostRemembered = 10_000

/** The same for every call that is made: what was written a moment ago is not written again. */
export function notingOutcomes(services: Pick<Context, 'db' | 'clock'>) {
  const written = new Map<string, { said: string; at: number }>()
  return async (connection: Called, outcome: CallOutcome): Promise<void> => {
    const said = outcome.result === 'done' ? '' : outcome.message
    const at = services.clock.now().getTime()
    const before = written.get(connection.id)
    if (before && before.said === said && at - before.at < apartMs) return
    if (written.size >= mostRemembered) written.clear()
    written.set(connection.id, { said, at })
    await noteOutcome(services, connection, outcome)
  }
}
