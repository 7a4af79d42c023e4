import type { Credential } from '@signalbox/contract/runner/messages.ts'
import type { Context } from '../context.ts'
import { outdated, type RunnerOrder } from '../engine/find-order.ts'
import { DomainError } from '../errors.ts'
import { teamRepository } from '../repositories/of-team.ts'

/** How git is let in to the repository of an order, for whoever has it now. */
export async function credentialFor(ctx: Context, order: RunnerOrder): Promise<Credential> {
  if (!order.isOpen) throw outdated()
  const repository = await teamRepository(ctx.db, ctx.workspaceId, order.teamId)
  if (!repository) throw new DomainError('conflict', 'The team has no repository any more.')
  const { host, address, name } = repository
  if (host !== 'local') throw new DomainError('conflict', `No git host is connected for ${name}.`)
  return { address, header: null, expiresAt: null }
}
