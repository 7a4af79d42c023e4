import type { PolicyChange as Difference } from '@signalbox/contract/app/policies.ts'
import type { Context } from '../../context.ts'
import { DomainError } from '../../errors.ts'
import { requireRole } from '../../roles.ts'
import { checkedPolicy, departs, differences, type PolicyChange } from './change.ts'
import { firstExecutor } from './presets.ts'
import { readPolicy } from './read.ts'

/** What a change of a team's policy would change, refused as the change itself would be. Nothing is written. */
export async function previewPolicy(
  ctx: Context,
  slug: string,
  change: PolicyChange,
): Promise<{ version: number; changes: Difference[] }> {
  requireRole(ctx, 'admin', "change a team's policy")
  const { preset, settings, executor, runnerLabels } = checkedPolicy(change)
  const before = await readPolicy(ctx, slug)
  const current = before?.version ?? 0
  if (change.basedOn !== undefined && change.basedOn !== current) {
    throw new DomainError(
      'changed_meanwhile',
      `The policy was changed in the meantime: version ${current} is current, not version ${change.basedOn}. Read it again and repeat your change.`,
    )
  }
  const now = {
    executor: executor ?? before?.executor ?? firstExecutor,
    runnerLabels: runnerLabels ?? before?.runnerLabels ?? [],
  }
  const after = {
    ...settings,
    ...now,
    version: current + 1,
    preset,
    custom: departs(preset, settings, now),
  }
  return { version: after.version, changes: differences(before ?? undefined, after) }
}
