import type { reads, writes } from '@signalbox/contract/app/teams.ts'
import { bindRepositories } from '../../domain/bindings/bind-repositories.ts'
import { bindTracker } from '../../domain/bindings/bind-tracker.ts'
import { readBindings } from '../../domain/bindings/read.ts'
import { deleteTeam } from '../../domain/engine/delete-team.ts'
import { listReverts, mergeRevert } from '../../domain/engine/merge-revert.ts'
import { createTeam } from '../../domain/policies/create-team.ts'
import { readRepository } from '../../domain/repositories/read.ts'
import { setRepository } from '../../domain/repositories/set.ts'
import { setInside } from '../../domain/repositories/set-inside.ts'
import { changeTeam } from '../../domain/teams/change.ts'
import { listTeamRows, readTeamRow } from '../../domain/teams/list-rows.ts'
import { pauseTeam } from '../../domain/teams/pause.ts'
import { resumeTeam } from '../../domain/teams/resume.ts'
import { arrayOf, type Handlers } from './operation.ts'

export const teamsHandlers: Handlers<typeof reads & typeof writes> = {
  'teams.list': async (ctx) => arrayOf(await listTeamRows(ctx)),
  'teams.read': (ctx, { team }) => readTeamRow(ctx, team),
  'teams.repository': (ctx, { team }) => readRepository(ctx, team),
  'teams.bindings': (ctx, { team }) => readBindings(ctx, team),
  'teams.reverts': async (ctx, { team }) => ({ data: await listReverts(ctx, team) }),
  'teams.mergeRevert': (ctx, { team, number, repository }, { gitHost }) =>
    mergeRevert(ctx, gitHost, team, number, repository),
  'teams.bindTracker': async (ctx, { team, tracker }, tools) => {
    await bindTracker(ctx, tools, team, tracker)
    return null
  },
  'teams.bindRepositories': async (ctx, { team, repositories }, tools) => {
    await bindRepositories(ctx, tools, team, repositories)
    return null
  },
  'teams.setRepository': async (ctx, { team, repository }, { gitHost }) => {
    await setRepository(ctx, gitHost, team, repository)
    return null
  },
  'teams.setInside': async (ctx, { team, ...wanted }) => {
    await setInside(ctx, team, wanted)
    return null
  },
  'teams.create': async (ctx, input) => {
    const { slug } = await createTeam(ctx, input)
    return { slug }
  },
  'teams.change': async (ctx, { team, ...input }) => {
    await changeTeam(ctx, team, input)
    return null
  },
  'teams.pause': async (ctx, { team, reason }) => {
    await pauseTeam(ctx, team, reason?.trim())
    return null
  },
  'teams.resume': async (ctx, { team }) => {
    await resumeTeam(ctx, team)
    return null
  },
  'teams.delete': async (ctx, { team }) => {
    await deleteTeam(ctx, team)
    return null
  },
}
