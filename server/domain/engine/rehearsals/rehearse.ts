import {
  type PolicySettings,
  policyEffects,
  type Rehearsal,
  type RehearsedRun,
} from '@signalbox/contract/app/policies.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { startOfMonth } from '../../days.ts'
import { requireRole } from '../../roles.ts'
import { checkedPolicy, type PolicyChange } from '../../work/policies/change.ts'
import { firstExecutor } from '../../work/policies/presets.ts'
import { readPolicy } from '../../work/policies/read.ts'
import { readTeam } from '../../work/teams/read.ts'
import { blank, linesOf } from '../machine/machine.ts'
import { comparePolicies, deniedPathsOf } from './compare-policies.ts'
import { selectRehearsed } from './rehearsal-store.ts'

const days = 30
const mostRuns = 500
const dayMs = 86_400_000

/** What a policy would have made of the team's latest runs, compared with the current one. Nothing is changed. */
export async function rehearsePolicy(
  ctx: Context,
  slug: string,
  input: Pick<PolicyChange, 'preset' | 'departures'>,
): Promise<Rehearsal> {
  requireRole(ctx, 'admin', "change a team's policy")
  const { settings, executor = firstExecutor, runnerLabels } = checkedPolicy(input)
  const team = fromJson(await readTeam(ctx, slug))
  const current = await readPolicy(ctx, slug)
  // What the change does not name stays as it is.
  const labels = runnerLabels ?? current?.runnerLabels ?? []
  const proposed: PolicySettings = { executor, ...settings, runnerLabels: labels }
  const from = new Date(ctx.clock.now().getTime() - days * dayMs)
  const rows = await selectRehearsed(ctx.db, ctx.workspaceId, team.id, {
    fromId: firstIdAt(from),
    month: startOfMonth(from),
    rows: mostRuns + 1,
  })
  const seen = rows.slice(0, mostRuns)
  const compared = seen.map((row) => ({
    row,
    effects: comparePolicies(row, current, proposed),
  }))
  const changed = compared.map(({ row, effects }): RehearsedRun => {
    const differences = effects.flatMap(({ effect, more }) =>
      more === null
        ? []
        : {
            effect,
            more,
            paths: effect === 'policy_exception' ? deniedPathsOf(more ? proposed : current!, row) : [],
          },
    )
    return {
      run: row.key,
      title: row.title,
      at: row.at.toISOString(),
      costCents: Math.ceil(row.costMicros / microsPerCent),
      lines: row.change && linesOf({ memory: { ...blank, change: row.change } }),
      differences,
    }
  })
  const unknown = policyEffects.map((effect) => ({
    effect,
    runs: compared.filter(({ effects }) => effects.some((one) => one.effect === effect && one.more === null))
      .length,
  }))
  return {
    days,
    baseline: current?.version ?? null,
    runs: seen.length,
    more: rows.length > mostRuns,
    changed: changed.filter(({ differences }) => differences.length > 0),
    unknown: unknown.filter(({ runs }) => runs > 0),
  }
}
