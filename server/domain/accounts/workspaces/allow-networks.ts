import { confirmed, invalidate } from '../../../infra/cluster.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { isAllowed, networksIn, requireAllowed } from './networks.ts'
import { lockWorkspace, selectNetworks, updateNetworks } from './store.ts'

/** From where a workspace is used; an empty list: from anywhere. */
export interface AllowedNetworks {
  /** By people in the app, and by tokens over REST and MCP. */
  networks: string[]
  runnerNetworks: string[]
}

export async function readNetworks(ctx: Context): Promise<AllowedNetworks> {
  requireRole(ctx, 'admin', 'see the allowed networks')
  return networksOf(await selectNetworks(ctx.db, ctx.workspaceId))
}

/** Refuses a runner from elsewhere, where what it comes with does not bring the list along. */
export async function requireRunnerNetwork(
  { db, workspaceId }: Pick<Context, 'db' | 'workspaceId'>,
  address: string,
): Promise<void> {
  requireAllowed(networksOf(await selectNetworks(db, workspaceId)).runnerNetworks, address)
}

/** Changes both lists. A person whose own address would be refused afterwards is refused now. */
export async function allowNetworks(ctx: Context, given: AllowedNetworks): Promise<void> {
  requireRole(ctx, 'admin', 'change the allowed networks')
  const next = { networks: networksIn(given.networks), runnerNetworks: networksIn(given.runnerNetworks) }
  const { address } = ctx.origin ?? {}
  if (address !== undefined && !isAllowed(next.networks, address))
    throw new DomainError(
      'invalid_request',
      `Your own address, ${address}, is not in these networks: you would lock yourself out. Add it first.`,
    )
  const sequence = await change(ctx, async (tx) => {
    const workspace = await lockWorkspace(tx, ctx.workspaceId)
    if (!workspace) throw new DomainError('not_found', 'This workspace was deleted.')
    const before = networksOf(await selectNetworks(tx, ctx.workspaceId))
    await updateNetworks(tx, ctx.workspaceId, next)
    const fields = (['networks', 'runnerNetworks'] as const).filter(
      (field) => before[field].join() !== next[field].join(),
    )
    if (fields.length === 0) throw new DomainError('conflict', 'These networks are already the allowed ones.')
    return {
      value: await invalidate(tx),
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
        details: {
          changes: fields.map((field) => ({ field, before: before[field], after: next[field] })),
        },
      },
    }
  })
  await confirmed(ctx.db, sequence)
}

const networksOf = (found: AllowedNetworks | undefined): AllowedNetworks =>
  found ?? { networks: [], runnerNetworks: [] }
