import type { Context } from '../../context.ts'
import type { CallOutcome, Connection } from '../../ports/connection.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { clearRefusalsOfScope } from './clear-refusal.ts'
import { recordRefusal } from './record-refusal.ts'
import { updateHealth } from './store.ts'

type Called = Pick<Connection, 'id' | 'workspaceId'>
type Base = Pick<Context, 'db' | 'clock' | 'queue'>

/**
 * Writes down how a connection fares: the last success, the last refusal in words, the limit left. What keeps the whole
 * account out is a matter for the ledger, and so is that its credentials are taken again.
 */
async function noteOutcome(base: Base, { id, workspaceId }: Called, outcome: CallOutcome): Promise<void> {
  await housekeeping(base.db, 'note how a connection fares', (tx) =>
    updateHealth(tx, workspaceId, id, outcome, base.clock.now()),
  )
  const [ctx, holder] = [{ ...base, workspaceId }, { connectionId: id }]
  if (outcome.result === 'done')
    await clearRefusalsOfScope(ctx, holder, { scope: '', reason: 'unauthorized' })
  if (outcome.result === 'refused' && outcome.extent === 'account')
    await recordRefusal(ctx, { ...holder, scope: '' }, outcome)
}

/** While nothing changes, it is written this often at most: an import makes many calls. */
const apartMs = 10_000
const mostRemembered = 10_000

/** The same for every call that is made: what was written a moment ago is not written again. */
export function notingOutcomes(services: Base) {
  const written = new Map<string, { said: string; at: number }>()
  return async (connection: Called, outcome: CallOutcome): Promise<void> => {
    const said = 'message' in outcome ? outcome.message : outcome.result
    const at = services.clock.now().getTime()
    const before = written.get(connection.id)
    if (before && before.said === said && at - before.at < apartMs) return
    if (written.size >= mostRemembered) written.clear()
    written.set(connection.id, { said, at })
    await noteOutcome(services, connection, outcome)
  }
}
