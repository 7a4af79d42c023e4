import { asksFor } from '@signalbox/contract/remedy.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockWorkspace, selectRequiresSingleSignOn, updateRequiresSingleSignOn } from './store.ts'

/** Refuses a session that was begun another way, where the workspace asks for the identity provider. */
export function requireProvider(
  { requiresSingleSignOn }: { requiresSingleSignOn: boolean },
  throughProvider: boolean,
): void {
  if (!requiresSingleSignOn || throughProvider) return
  throw new DomainError(
    'single_sign_on_required',
    'This workspace requires single sign-on. Sign in through your identity provider.',
  )
}

export async function isSingleSignOnRequired(ctx: Pick<Context, 'db' | 'workspaceId'>): Promise<boolean> {
  return (await selectRequiresSingleSignOn(ctx.db, ctx.workspaceId)) ?? false
}

/**
 * Lets only sessions in that the identity provider has made, or lets others in again. It is read with each session, so
 * it holds from the next request on, on every node. The owner who turns it on has come through the provider: what would
 * lock them out, they could not undo. API tokens are not concerned.
 */
export async function requireSingleSignOn(
  ctx: Context,
  required: boolean,
  by: { hasProvider: boolean; throughProvider: boolean },
): Promise<void> {
  requireRole(ctx, 'owner', 'change whether single sign-on is required')
  if (required && !by.hasProvider)
    throw new DomainError('conflict', `This server has no identity provider. ${asksFor('OIDC_ISSUER')}`)
  if (required && !by.throughProvider)
    throw new DomainError(
      'conflict',
      'Sign in through your identity provider first: with your current session you would lock yourself out.',
    )
  await change(ctx, async (tx) => {
    const workspace = await lockWorkspace(tx, ctx.workspaceId)
    if (!workspace) throw new DomainError('not_found', 'This workspace was deleted.')
    const before = (await selectRequiresSingleSignOn(tx, ctx.workspaceId)) ?? false
    if (before === required)
      throw new DomainError('conflict', `Single sign-on is already ${words(required)}.`)
    await updateRequiresSingleSignOn(tx, ctx.workspaceId, required)
    return {
      value: undefined,
      audit: {
        event: 'workspace_changed',
        entity: { type: 'workspace', id: workspace.slug, name: workspace.name },
        details: { changes: [{ field: 'singleSignOn', before: words(before), after: words(required) }] },
      },
    }
  })
}

const words = (required: boolean) => (required ? 'required' : 'not required')
