import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import type { Creating } from '../../record/audit/creating.ts'
import { requireRole } from '../../roles.ts'
import { addTeam, checkedTeam, type NewTeam } from '../teams/create.ts'
import { addPolicy, checkedPolicy } from './change.ts'
import type { Preset } from './presets.ts'

/** Makes a team. It is born with its first policy, so that there is no day on which nothing supervises it. */
export async function createTeam(
  ctx: Context,
  { preset, ...input }: NewTeam & { preset: Preset },
  creating?: Creating,
): Promise<{ id: string; slug: string }> {
  requireRole(ctx, 'admin', 'create a team')
  const checked = checkedTeam(input)
  const policy = checkedPolicy({ preset, reason: 'First policy' })
  return change(ctx, async (tx) => {
    const { id, slug, name } = await addTeam(ctx, tx, checked)
    const { audit } = await addPolicy(ctx, tx, { id, slug, name }, policy)
    return {
      value: { id, slug },
      audit: [
        {
          event: 'team_created',
          team: slug,
          entity: { type: 'team', id: slug, name },
          details: { keyPrefix: checked.keyPrefix, preset },
        },
        audit,
        ...(creating ? [await creating(tx, id)] : []),
      ],
    }
  })
}
