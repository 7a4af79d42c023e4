import type { reads, writes } from '@signalbox/contract/app/policies.ts'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { rehearsePolicy } from '../../../domain/engine/rehearsals/rehearse.ts'
import { changePolicy } from '../../../domain/work/policies/change.ts'
import { listPolicyVersions } from '../../../domain/work/policies/list-versions.ts'
import { firstExecutor, presets, runCentsWithoutBudgets } from '../../../domain/work/policies/presets.ts'
import { readPolicy } from '../../../domain/work/policies/read.ts'
import { restorePolicy } from '../../../domain/work/policies/restore.ts'
import { type Handlers, paged } from '../operation.ts'

export const policiesHandlers: Handlers<typeof reads & typeof writes> = {
  'policies.read': async (ctx, { team }) => ({
    policy: await readPolicy(ctx, team),
    presets,
    firstExecutor,
    alwaysDenied: [acceptanceSpec],
    runCentsWithoutBudgets,
  }),
  'policies.versions': (ctx, input, tools) =>
    paged(ctx, tools, 'policies.versions', input, (page) => listPolicyVersions(ctx, input.team, page)),
  'policies.rehearse': (ctx, { team, preset, settings }) =>
    rehearsePolicy(ctx, team, { preset, departures: settings }),
  'policies.change': (ctx, { team, settings, ...input }) =>
    changePolicy(ctx, team, { ...input, departures: settings }),
  'policies.restore': (ctx, { team, version, ...input }) => restorePolicy(ctx, team, version, input),
}
