import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import type { Connecting } from '../../tools/connections/connect.ts'
import { listRepositories } from '../../tools/connections/list-choices.ts'
import { lockConnection } from '../../tools/connections/lock.ts'
import { replaceRepositories } from '../repositories/replace.ts'
import { lockTeam } from '../teams/lock.ts'

export interface WantedRepository {
  connection: string
  /** Its id and its name over there; the rest is looked up. */
  id: string
  name: string
}

/** Says which repositories over there a team works on, in the place of those it had. */
export async function bindRepositories(
  ctx: Context,
  tools: Connecting,
  slug: string,
  wanted: WantedRepository[],
): Promise<void> {
  requireRole(ctx, 'admin', 'choose the repositories of a team')
  const found: Awaited<ReturnType<typeof repositoryOf>>[] = []
  for (const one of wanted) found.push(await repositoryOf(ctx, tools, one))
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    await refuseManaged(ctx, tx, 'repositories', team.id)
    for (const { connectionId } of found) await lockConnection(tx, ctx.workspaceId, connectionId)
    const before = await replaceRepositories(tx, ctx.workspaceId, team.id, found)
    await ctx.queue.send(tx, { task: 'repositories', workspaceId: ctx.workspaceId, id: team.id })
    const names = (all: readonly { name: string }[]) => all.map(({ name }) => name).sort()
    return {
      value: undefined,
      audit: {
        event: 'team_changed',
        team: slug,
        entity: { type: 'team', id: slug, name: team.name },
        details: { changes: [{ field: 'repositories', before: names(before), after: names(found) }] },
      },
    }
  })
}

async function repositoryOf(ctx: Context, tools: Connecting, wanted: WantedRepository) {
  const { connection, repositories } = await listRepositories(ctx, tools, wanted.connection, wanted.name)
  const found = repositories.find(({ id }) => id === wanted.id)
  if (!found)
    throw new DomainError(
      'invalid_request',
      `${toolNames[connection.kind]} doesn’t show ${wanted.name} to this connection.`,
    )
  const { id, name, address, branch, url } = found
  return { name, address, branch, url, host: connection.kind, connectionId: connection.id, remoteId: id }
}
