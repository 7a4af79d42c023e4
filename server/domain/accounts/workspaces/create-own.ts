import type { Context } from '../../context.ts'
import { changeTogether } from '../../record/audit/change.ts'
import { addWorkspace, newWorkspace } from './create.ts'
import { insertMembership } from './store.ts'

/** A signed-in person creates a workspace and becomes its owner: both or neither. */
export async function createOwnWorkspace(
  services: Pick<Context, 'db' | 'clock' | 'queue' | 'origin'>,
  founder: { personId: string; name: string },
  input: { slug: string; name: string },
): Promise<{ slug: string; name: string }> {
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
