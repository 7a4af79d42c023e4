import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { refuseManaged } from '../../record/managed/refuse-managed.ts'
import { requireRole } from '../../roles.ts'
import { checkedDescription, checkedName } from './checked.ts'
import { lockTeam } from './lock.ts'
import { updateTeam } from './store.ts'

/** Changes a team's name or description. Its slug and key prefix are part of links and keys, so they stay. */
export async function changeTeam(
  ctx: Context,
  slug: string,
  input: { name?: string; description?: string | null },
): Promise<void> {
  requireRole(ctx, 'admin', 'change a team')
  const fields = {
    ...(input.name === undefined ? {} : { name: checkedName(input.name) }),
    ...(input.description === undefined ? {} : { description: checkedDescription(input.description) }),
  }
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    await refuseManaged(ctx, tx, 'teams', team.id)
    const changes = Object.entries(fields)
      .map(([field, after]) => ({ field, before: team[field as keyof typeof fields], after }))
      .filter(({ before, after }) => before !== after)
    if (changes.length === 0)
      throw new DomainError(
        'conflict',
        `Team \`${slug}\` already has that name and description. Send a different \`name\` or \`description\`.`,
      )
    await updateTeam(tx, ctx.workspaceId, team.id, fields, ctx.clock.now())
    return {
      value: undefined,
      audit: {
        event: 'team_changed',
        team: slug,
        entity: { type: 'team', id: slug, name: fields.name ?? team.name },
        details: { changes },
      },
    }
  })
}
