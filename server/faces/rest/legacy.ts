import { BoardList, BoardResponse } from '@signalbox/contract/board.ts'
import { fromJson, type Json } from '@signalbox/contract/shapes.ts'
import type { Team } from '@signalbox/contract/team.ts'
import { Type } from 'typebox'
import { notFound } from '../../domain/errors.ts'
import { listTeams } from '../../domain/work/teams/list.ts'
import { findTeam } from '../../domain/work/teams/read.ts'
import { get, type Route } from './v1/route.ts'

/**
 * The first API version: boards answer with the teams, projects and tasks are gone. Its clients were configured with a
 * base address that ended in /v1, so both spellings are served.
 */

const deprecated = { since: new Date('2026-01-01T00:00:00Z'), successor: '/v1/teams' }
const prefixes = ['', '/v1']
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const boardRoutes: Route[] = prefixes.flatMap((prefix) => [
  get(
    {
      path: `${prefix}/boards`,
      operation: `listBoards${prefix ? 'V1' : ''}`,
      summary: 'List the teams in the old shape',
      tag: 'Legacy',
      permission: 'read',
      response: BoardList,
      deprecated,
    },
    async (ctx) => {
      const teams = await listTeams(ctx)
      return JSON.stringify({ boards: teams.map((team) => listed(fromJson(team))) }) as Json<unknown>
    },
  ),
  get(
    {
      path: `${prefix}/boards/:board`,
      operation: `readBoard${prefix ? 'V1' : ''}`,
      summary: 'Read a team in the old shape',
      tag: 'Legacy',
      permission: 'read',
      params: {
        board: {
          schema: Type.String({ pattern: '^[0-9A-Za-z-]{1,64}$', description: 'team id or slug' }),
          noun: 'board',
        },
      },
      response: BoardResponse,
      deprecated,
    },
    async (ctx, params) => {
      const id = params.board!
      const team = await findTeam(ctx, uuid.test(id) ? { id } : { slug: id })
      if (!team) throw notFound('board', id)
      const board = { ...listed(fromJson(team)), background_color: '#ffffff', layout_preference: 'kanban' }
      return JSON.stringify({ board }) as Json<unknown>
    },
  ),
])

const listed = (team: Team) => ({
  id: team.id,
  name: team.name,
  description: team.description,
  icon: 'board',
  accent_color: '#4f46e5',
  created_at: team.createdAt,
  updated_at: team.updatedAt ?? team.createdAt,
})

/** Answer 410 to every method, before authentication: an old script probably has a dead token, too. */
export const removedPaths: string[] = prefixes.flatMap((prefix) => [
  `${prefix}/boards/:board/projects`,
  `${prefix}/boards/:board/projects/*`,
  `${prefix}/projects`,
  `${prefix}/projects/*`,
  `${prefix}/tasks`,
  `${prefix}/tasks/*`,
])
