import type { Tx } from '../../../infra/db/db.ts'
import { notFound } from '../../errors.ts'
import { selectConnectionForUpdate } from './store.ts'

/** Keeps a connection from being disconnected while something is bound to it. */
export async function lockConnection(tx: Tx, workspaceId: string, id: string): Promise<void> {
  if (!(await selectConnectionForUpdate(tx, workspaceId, id))) throw notFound('connection', id)
}
