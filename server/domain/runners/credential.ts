import { type Credential, relayFeature } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../context.ts'
import { outdated, type RunnerOrder } from '../engine/find-order.ts'
import { DomainError } from '../errors.ts'
import { ToolBusy } from '../ports/connection.ts'
import type { GitHost } from '../ports/git-host.ts'
import { teamRepository } from '../repositories/of-team.ts'
import type { Passes } from './passes.ts'
import type { KnownSession } from './sessions.ts'

/** As long as GitHub's own; the order ends before, or the pass does. */
const passMs = 60 * 60_000

/** How git is let in to the repository of an order, for whoever has it now, and for what it says it wants to do. */
export async function credentialFor(
  ctx: Context,
  { gitHost, passes }: { gitHost: Pick<GitHost, 'credential'> | null; passes: Passes },
  { order, session }: { order: RunnerOrder; session: KnownSession },
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
  if (credential !== 'relay') {
    if ('refused' in credential) throw new DomainError('tool_refused', credential.refused)
    return credential
  }
  if (!session.features.includes(relayFeature))
    throw new DomainError(
      'tool_refused',
      `${repository.name} is reached through this server, and this runner is too old for that. Upgrade the runner.`,
    )
  const { run, fence } = order
  const expiresAt = new Date(ctx.clock.now().getTime() + passMs).toISOString()
  const pass = passes.seal({
    ...{ workspaceId: ctx.workspaceId, runnerId: session.runnerId, tokenId: session.tokenId },
    ...{ run, fence, access, expiresAt },
    repository: { name: repository.name, connectionId: repository.connectionId! },
  })
  return {
    address: `orders/${run}/${fence}/repository.git`,
    header: `Authorization: Bearer ${pass}`,
    expiresAt,
  }
}
