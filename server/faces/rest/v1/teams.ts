import { teamSlug } from '@signalbox/contract/keys.ts'
import { cursor, limit, pageOf } from '@signalbox/contract/page.ts'
import { Team } from '@signalbox/contract/team.ts'
import { Type } from 'typebox'
import { listTeams } from '../../../domain/work/teams/list.ts'
import { readTeam } from '../../../domain/work/teams/read.ts'
import { pageJson } from '../../http/cursor.ts'
import { get } from './route.ts'

const tag = 'Teams'
export const team = { schema: teamSlug, noun: 'team' } as const

export const teamRoutes = [
  get(
    {
      path: '/v1/teams',
      operation: 'listTeams',
      summary: 'List the teams of the workspace',
      description:
        'Sorted by name and always complete on one page; limit and cursor are accepted and change nothing.',
      tag,
      onReplica: true,
      permission: 'read',
      query: Type.Object({ limit: Type.Optional(limit), cursor: Type.Optional(cursor) }),
      response: pageOf(Team),
    },
    async (ctx) => pageJson(await listTeams(ctx), null),
  ),
  get(
    {
      path: '/v1/teams/:team',
      operation: 'readTeam',
      summary: 'Read a team',
      tag,
      permission: 'read',
      params: { team },
      response: Team,
    },
    (ctx, params) => readTeam(ctx, params.team!),
  ),
]
