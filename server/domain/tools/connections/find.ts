import { DomainError } from '../../errors.ts'
import type { Connection } from '../../ports/connection.ts'
import { type Opening, openConnection } from './open.ts'

/** Like opening it, for callers that can do without: null when it was disconnected. */
export async function findConnection(
  services: Opening,
  workspaceId: string,
  id: string,
): Promise<Connection | null> {
  try {
    return await openConnection(services, workspaceId, id)
  } catch (error) {
    if (error instanceof DomainError) return null
    throw error
  }
}
