import { isDeepStrictEqual } from 'node:util'
import type { ManagedPolicy } from '@signalbox/contract/manage/policies.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import type { Context } from '../../context.ts'
import { changePolicy, checkedPolicy } from '../../work/policies/change.ts'
import { currentPolicy } from '../../work/policies/current.ts'
import { firstExecutor } from '../../work/policies/presets.ts'
import { readPolicy } from '../../work/policies/read.ts'
import { listTeams } from '../../work/teams/list.ts'
import type { Kind } from './kind.ts'
import { withoutDefaults } from './without-defaults.ts'

export const policiesKind: Kind<ManagedPolicy> = {
  async list(ctx) {
    const teams = (await listTeams(ctx)).map(fromJson)
    const policies = await Promise.all(
      teams.map(async ({ id, slug }) => ({
        ...{ id, slug },
        policy: await currentPolicy(ctx.db, ctx.workspaceId, id),
      })),
    )
    return policies.flatMap(({ id, slug, policy }) =>
      policy ? [{ id, suggested: slug, spec: specOf(policy) }] : [],
    )
  },
  full,
  brief: (spec) => withoutDefaults(spec, full({ preset: spec.preset }), ['preset']),
  refers: (name) => [{ kind: 'teams', name }],
  isSame: () => false,
  async create(ctx, slug, wanted, { names }) {
    // The team has been created with a first policy; it may be the one that is wanted.
    await settle(ctx, slug, wanted)
    return names.idOf('teams', slug)
  },
  change: (ctx, id, { wanted }, { names }) => settle(ctx, names.nameOf('teams', id), wanted),
  remove: null,
}

/** With every setting: those that are left out are the preset's. */
function full({ preset, ...departures }: ManagedPolicy): ManagedPolicy {
  const { settings, executor = firstExecutor, runnerLabels = [] } = checkedPolicy({ preset, departures })
  return { preset, executor, ...settings, runnerLabels }
}

function specOf(policy: ManagedPolicy & { version: number; custom: boolean }): ManagedPolicy {
  const { version: _, custom: __, ...spec } = policy
  return spec
}

async function settle(ctx: Context, slug: string, wanted: ManagedPolicy): Promise<void> {
  const current = await readPolicy(ctx, slug)
  if (current && isDeepStrictEqual(specOf(current), wanted)) return
  const { preset, ...departures } = wanted
  await changePolicy(ctx, slug, { preset, departures, basedOn: current?.version ?? 0 })
}
