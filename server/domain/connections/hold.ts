import type { Tx } from '../../infra/db/db.ts'
import { notFound } from '../errors.ts'
import { lockConnection } from './store.ts'

/** Keeps a connection from being disconnected while something is bound to it. */
export async function holdConnection(tx: Tx, workspaceId: string, id: string): Promise<void> {
  if (!(await lockConnection(tx, workspaceId, id))) throw notFound('connection', id)
}
