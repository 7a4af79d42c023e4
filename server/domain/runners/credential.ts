import type { Credential } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../context.ts'
import { outdated, type RunnerOrder } from '../engine/find-order.ts'
import { DomainError } from '../errors.ts'
import { ToolBusy } from '../ports/connection.ts'
import type { GitHost } from '../ports/git-host.ts'
import { teamRepository } from '../repositories/of-team.ts'

/** How git is let in to the repository of an order, for whoever has it now, and for what it says it wants to do. */
export async function credentialFor(
  ctx: Context,
  gitHost: Pick<GitHost, 'credential'> | null,
  order: RunnerOrder,
  access: 'read' | 'write',
): Promise<Credential> {
  if (!order.isOpen) throw outdated()
  const repository = await teamRepository(ctx.db, ctx.workspaceId, order.teamId)
  if (!repository) throw new DomainError('conflict', 'The team has no repository any more.')
  if (!gitHost) throw new DomainError('conflict', `No git host is connected for ${repository.name}.`)
  // Not as a conflict: that would tell the runner that the order is another's by now.
  const credential = await gitHost.credential(ctx.workspaceId, repository, access).catch((error: Error) => {
    throw error instanceof ToolBusy ? new DomainError('tool_unavailable', error.message) : error
  })
  if ('refused' in credential) throw new DomainError('tool_refused', credential.refused)
  return credential
}
