import type { Context } from '../../context.ts'
import type { Connection } from '../../ports/connection.ts'
import { subjectOfMessage } from '../../work/chat/messages.ts'

/** The requirement whose conversation a thread is; null: the thread is about something else. */
export async function requirementOfThread(
  { db }: Pick<Context, 'db'>,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  { channel, thread }: { channel: string; thread: string },
): Promise<string | null> {
  const subject = await subjectOfMessage(db, workspaceId, { connectionId: id, channel }, thread)
  return subject && !/^(?:(?:dec|inc)-[a-z0-9]{4}(?:[a-z0-9]{2})?$|reply\/)/.test(subject) ? subject : null
}
