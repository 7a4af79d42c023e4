import { createHash } from 'node:crypto'
import type { Connection } from '../../ports/connection.ts'
import { type Opening, openConnection } from './open.ts'
import { selectConnectionByDigest } from './store.ts'

/** The connection whose address for deliveries has this token; null: none has. */
export async function openByHookToken(services: Opening, token: string): Promise<Connection | null> {
  const digest = createHash('sha256').update(token).digest()
  const found = await selectConnectionByDigest(services.db, digest)
  return found ? openConnection(services, found.workspaceId, found.id) : null
}
