import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import type { Connection } from '../../ports/connection.ts'
import type { RemoteProject, RemoteRepository } from '../../ports/connector.ts'
import { requireRole } from '../../roles.ts'
import { asking, connectorOf } from './ask.ts'
import type { Connecting } from './connect.ts'
import { openConnection } from './open.ts'

/** Where stories of a team could come from, asked over there at this moment. */
export async function listProjects(
  ctx: Context,
  tools: Connecting,
  id: string,
  query: string,
): Promise<{ connection: Connection; projects: RemoteProject[] }> {
  requireRole(ctx, 'admin', 'choose a project')
  const connection = await openConnection({ db: ctx.db, secrets: tools.secrets }, ctx.workspaceId, id)
  const connector = connectorOf(tools.connectors, connection.kind)
  if (!connector.projects) throw new DomainError('invalid_request', 'This tool has no issues.')
  return { connection, projects: await asking(connector.projects(connection, query)) }
}

/** Repositories that a team could work on, likewise. */
export async function listRepositories(
  ctx: Context,
  tools: Connecting,
  id: string,
  query: string,
): Promise<{ connection: Connection; repositories: RemoteRepository[] }> {
  requireRole(ctx, 'admin', 'choose a repository')
  const connection = await openConnection({ db: ctx.db, secrets: tools.secrets }, ctx.workspaceId, id)
  const connector = connectorOf(tools.connectors, connection.kind)
  if (!connector.repositories) throw new DomainError('invalid_request', 'This tool has no repositories.')
  return { connection, repositories: await asking(connector.repositories(connection, query)) }
}
