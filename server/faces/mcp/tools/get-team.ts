import { PolicyVersion } from '@signalbox/contract/app/policies.ts'
import { TeamRow } from '@signalbox/contract/app/teams.ts'
import { acceptanceSpec } from '@signalbox/contract/denied-paths.ts'
import { isolationLevels } from '@signalbox/contract/isolation.ts'
import { teamSlug } from '@signalbox/contract/keys.ts'
import { fromJson, nullable } from '@signalbox/contract/shapes.ts'
import { executors, mergePolicies, planApprovals, presets } from '@signalbox/contract/team.ts'
import { Type } from 'typebox'
import { readPolicy } from '../../../domain/work/policies/read.ts'
import { readTeamRow } from '../../../domain/work/teams/list-rows.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, reads, takes, tool, url } from '../calls/tool.ts'

const { policy: _, ...team } = TeamRow.properties
const words = Type.Array(Type.String())

export const getTeam = tool({
  name: 'get_team',
  title: 'Read a team and its policy',
  description:
    'Reads a team: what it is working on now, what it has spent today and this month in euro cents, and its full policy (null for a team without one) with the version that update_policy needs, and the values that each setting allows.',
  toolset: 'default',
  hints: reads,
  input: takes({ team: teamSlug }),
  output: gives({
    ...team,
    policy: nullable(PolicyVersion),
    allowed: Type.Object({
      preset: words,
      executor: words,
      planApproval: words,
      mergePolicy: words,
      isolation: words,
      alwaysDenied: words,
    }),
    url,
  }),
  outside: ['name', 'description', 'pause.reason'],
  async call(call, { team }) {
    const { ctx } = call
    return {
      ...fromJson(await readTeamRow(ctx, team)),
      policy: await readPolicy(ctx, team),
      allowed: {
        preset: [...presets],
        executor: [...executors],
        planApproval: [...planApprovals],
        mergePolicy: [...mergePolicies],
        isolation: [...isolationLevels],
        alwaysDenied: [acceptanceSpec],
      },
      url: await appUrl(call, 'teams', team, 'board'),
    }
  },
})
