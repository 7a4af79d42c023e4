import type { Secrets } from '../../../infra/secrets.ts'
import type { Context } from '../../context.ts'
import { notFound } from '../../errors.ts'
import type { Connection } from '../../ports/connection.ts'
import { credentialsRow } from './sealed-rows.ts'
import { selectSealed } from './store.ts'

/** What opening a connection takes. */
export interface Opening extends Pick<Context, 'db'> {
  secrets: Pick<Secrets, 'decrypt'>
}

/** Opens the credentials of a connection, for one call. The caller must neither keep nor show them. */
export async function openConnection(
  { db, secrets }: Opening,
  workspaceId: string,
  id: string,
): Promise<Connection> {
  const found = await selectSealed(db, workspaceId, id)
  if (!found) throw notFound('connection', id)
  const { credentials, ...rest } = found
  return { ...rest, workspaceId, credentials: JSON.parse(secrets.decrypt(credentials, credentialsRow(id))) }
}
