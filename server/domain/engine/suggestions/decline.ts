import type { SuggestionAnswer } from '@signalbox/contract/app/suggestions.ts'
import { settleNotifications } from '../../accounts/notifications/settle.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from '../../work/teams/lock.ts'
import { requireCurrent } from './require-current.ts'
import { upsertDeclined } from './store.ts'

/** Leaves the policy as it is. The suggestion is not made again until as many more merges have been approved. */
export async function declineSuggestion(ctx: Context, answer: SuggestionAnswer): Promise<void> {
  requireRole(ctx, 'admin', "change a team's policy")
  await change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, answer.team)
    const { basedOn, maxLines, merges } = await requireCurrent(ctx, tx, answer)
    const declined = { merges: merges.length, at: ctx.clock.now() }
    await upsertDeclined(tx, ctx.workspaceId, team.id, declined)
    await settleNotifications(ctx, tx, { kind: 'suggestion', thing: team.slug })
    return {
      value: undefined,
      audit: {
        event: 'policy_suggestion_declined',
        team: team.slug,
        entity: { type: 'policy', id: team.slug, name: `Policy of ${team.name}` },
        details: {
          version: basedOn,
          suggestion: { maxLines, decisions: merges.map(({ decision }) => decision) },
          ...(answer.reason ? { reason: answer.reason } : {}),
        },
      },
    }
  })
}
