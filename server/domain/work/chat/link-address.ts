import type { Context } from '../../context.ts'
import type { Connection } from '../../ports/connection.ts'
import { offerLink } from './link.ts'
import { selectWorkspaceSlug } from './store.ts'

/** The page on which a person says that this user of the chat tool is them. */
export async function linkAddress(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  { publicUrl }: { publicUrl: () => string },
  connection: Pick<Connection, 'id' | 'workspaceId'>,
  user: { id: string; name: string },
): Promise<string> {
  const code = await offerLink({ db, clock }, connection, user)
  return `${publicUrl()}/${await selectWorkspaceSlug(db, connection.workspaceId)}/link-chat/${code}`
}
