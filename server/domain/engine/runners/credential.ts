import { type Credential, relayFeature } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { ToolBusy } from '../../ports/connection.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { housekeeping } from '../../record/audit/change.ts'
import { teamRepository } from '../../work/repositories/of-team.ts'
import { outdated, type RunnerOrder } from '../orders/find-order.ts'
import type { GitTokens } from './git-tokens.ts'
import { pushedBranch } from './pushed-branch.ts'
import type { KnownSession } from './sessions.ts'
import { noteCredential } from './store.ts'

/** As long as GitHub's own; the order ends before, or the token does. */
const passMs = 60 * 60_000

interface Ways {
  gitHost: Pick<GitHost, 'credential'> | null
  gitTokens: GitTokens
}

interface Asking {
  order: RunnerOrder
  session: KnownSession
}

/**
 * How git is let in to the repository of an order, for the runner that has it now, and for what the order needs:
 * whatever its token may do elsewhere, only the order that hands off a change may write.
 */
export async function credentialFor(
  ctx: Context,
  ways: Ways,
  { order, session }: Asking,
  access: 'read' | 'write',
  named?: string,
): Promise<Credential> {
  if (!order.isOpen) throw outdated()
  if (access === 'write' && !pushedBranch(order))
    throw new DomainError(
      'insufficient_scope',
      'This work order has nothing to push. Only the one that hands off a change gets a credential to write.',
    )
  const credential = await credentialOf(ctx, ways, { order, session }, access, named)
  await housekeeping(ctx.db, 'what a runner was given', (tx) =>
    noteCredential(tx, ctx.workspaceId, session.runnerId, access),
  )
  return credential
}

async function credentialOf(
  ctx: Context,
  { gitHost, gitTokens }: Ways,
  { order, session }: Asking,
  access: 'read' | 'write',
  named: string | undefined,
): Promise<Credential> {
  if (named !== undefined && !order.repositories.includes(named))
    throw new DomainError('insufficient_scope', `This work order has nothing to do with ${named}.`)
  const name = named ?? order.repositories[0] ?? null
  const repository = await teamRepository(ctx.db, ctx.workspaceId, order.teamId, name)
  if (!repository) throw new DomainError('conflict', 'The team no longer has a repository.')
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
  const gitToken = gitTokens.seal({
    ...{ workspaceId: ctx.workspaceId, runnerId: session.runnerId, tokenId: session.tokenId },
    ...{ run, fence, access, expiresAt },
    repository: { name: repository.name, connectionId: repository.connectionId! },
  })
  return {
    address: `orders/${run}/${fence}/repository.git`,
    header: `Authorization: Bearer ${gitToken}`,
    expiresAt,
  }
}
