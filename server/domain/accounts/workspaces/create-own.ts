import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { changeTogether } from '../../record/audit/change.ts'
import { addWorkspace, newWorkspace } from './create.ts'
import { isInstallationOwner } from './installation-owner.ts'
import { insertMembership } from './store.ts'

/** Who may create workspaces in the app. */
export type Founding = 'anyone' | 'owners'

/** A signed-in person creates a workspace and becomes its owner: both or neither. */
export async function createOwnWorkspace(
  services: Pick<Context, 'db' | 'clock' | 'queue' | 'origin'>,
  founder: { personId: string; name: string },
  input: { slug: string; name: string },
  founding: Founding,
): Promise<{ slug: string; name: string }> {
  if (founding === 'owners' && !(await isInstallationOwner(services.db, founder.personId)))
    throw new DomainError(
      'insufficient_role',
      'On this installation, only owners of its first workspace can create workspaces. Ask one of them.',
    )
  const workspace = newWorkspace(services, input)
  const actor = { type: 'human', name: founder.name, userId: founder.personId, role: 'owner' } as const
  const ctx = { ...services, workspaceId: workspace.id, actor, channel: 'app' } as const
  return changeTogether(services, async (tx) => {
    const made = await addWorkspace(ctx, tx, workspace)
    await insertMembership(tx, workspace.id, founder.personId, 'owner', services.clock.now())
    return {
      value: { slug: workspace.slug, name: workspace.name },
      audit: [
        { ctx, entry: made.audit },
        {
          ctx,
          entry: {
            event: 'member_joined',
            entity: { type: 'member', id: founder.personId, name: founder.name },
            details: { role: 'owner' },
          },
        },
      ],
    }
  })
}
