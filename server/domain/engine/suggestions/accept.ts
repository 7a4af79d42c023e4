import type { SuggestionAnswer } from '@signalbox/contract/app/suggestions.ts'
import { settleNotifications } from '../../accounts/notifications/settle.ts'
import type { Context } from '../../context.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { addPolicy, checkedPolicy, type PolicyVersion } from '../../work/policies/change.ts'
import { currentPolicy } from '../../work/policies/current.ts'
import { lockTeam } from '../../work/teams/lock.ts'
import { requireCurrent } from './require-current.ts'
import { suggestedPolicy } from './suggested-policy.ts'

/** Makes the suggestion the next version of the team's policy. Only ever because a person says so. */
export async function acceptSuggestion(ctx: Context, answer: SuggestionAnswer): Promise<PolicyVersion> {
  requireRole(ctx, 'admin', "change a team's policy")
  return change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, answer.team)
    const { maxLines, merges } = await requireCurrent(ctx, tx, answer)
    const before = (await currentPolicy(tx, ctx.workspaceId, team.id))!
    const policy = checkedPolicy({
      ...suggestedPolicy(before, { maxLines }),
      reason: answer.reason || `Suggested because ${merges.length} merges were approved unchanged`,
      suggestion: { maxLines, decisions: merges.map(({ decision }) => decision) },
    })
    await settleNotifications(ctx, tx, { kind: 'suggestion', thing: team.slug })
    return addPolicy(ctx, tx, team, policy)
  })
}
