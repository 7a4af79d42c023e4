import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { change } from '../../record/audit/change.ts'
import { requireRole } from '../../roles.ts'
import { lockTeam } from '../teams/lock.ts'
import { addPolicy, checkedPolicy } from './change.ts'
import { type PolicyVersion, selectPolicyVersion } from './store.ts'

/** Brings the settings of an older version back, as a new version: the history only grows. */
export async function restorePolicy(
  ctx: Context,
  slug: string,
  version: number,
  { reason, basedOn }: { reason?: string; basedOn?: number } = {},
): Promise<PolicyVersion> {
  requireRole(ctx, 'admin', "change a team's policy")
  return change(ctx, async (tx) => {
    const team = await lockTeam(tx, ctx.workspaceId, slug)
    const kept = await selectPolicyVersion(tx, ctx.workspaceId, team.id, version)
    if (!kept) throw new DomainError('invalid_request', `Team \`${slug}\` has no policy version ${version}.`)
    const { version: _, custom: __, preset, ...departures } = kept
    const policy = checkedPolicy({ preset, departures, reason: reason || `Version ${version} restored` })
    return addPolicy(ctx, tx, team, { ...policy, ...(basedOn === undefined ? {} : { basedOn }) })
  })
}
