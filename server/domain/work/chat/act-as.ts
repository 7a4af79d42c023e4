import type { Context } from '../../context.ts'
import type { Connection } from '../../ports/connection.ts'
import { selectLinked } from './store.ts'

/** The context of the person linked to a chat user; null for a stranger or someone who has left. */
export async function contextOfChatUser(
  { db, clock, queue }: Pick<Context, 'db' | 'clock' | 'queue'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  user: string,
  origin?: Context['origin'],
): Promise<Context | null> {
  const member = await selectLinked(db, workspaceId, id, user)
  if (!member) return null
  const actor = { type: 'human', name: member.name, userId: member.personId, role: member.role } as const
  return { db, clock, queue, workspaceId, actor, channel: 'slack', ...(origin ? { origin } : {}) }
}
