import type { Context } from '../../context.ts'
import type { Connection } from '../../ports/connection.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { markClicked } from './store.ts'

/** A click has reached us: the connection's page says so. */
export const noteClick = (
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
): Promise<void> =>
  housekeeping(db, 'note that clicks arrive', (tx) => markClicked(tx, workspaceId, id, clock.now()))
