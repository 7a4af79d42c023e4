import type { reads, writes } from '@signalbox/contract/app/teams.ts'
import { deleteTeam } from '../../../domain/engine/lifecycle/delete-team.ts'
import { listReverts, mergeRevert } from '../../../domain/engine/merging/merge-revert.ts'
import { bindRepositories } from '../../../domain/work/bindings/bind-repositories.ts'
import { bindTracker } from '../../../domain/work/bindings/bind-tracker.ts'
import { readBindings } from '../../../domain/work/bindings/read.ts'
import { createTeam } from '../../../domain/work/policies/create-team.ts'
import { readFolders } from '../../../domain/work/repositories/read.ts'
import { setRepositories } from '../../../domain/work/repositories/set.ts'
import { setInside } from '../../../domain/work/repositories/set-inside.ts'
import { changeTeam } from '../../../domain/work/teams/change.ts'
import { listTeamRows, readTeamRow } from '../../../domain/work/teams/list-rows.ts'
import { pauseTeam } from '../../../domain/work/teams/pause.ts'
import { resumeTeam } from '../../../domain/work/teams/resume.ts'
import { arrayOf, type Handlers } from '../operation.ts'

export const teamsHandlers: Handlers<typeof reads & typeof writes> = {
  'teams.list': async (ctx) => arrayOf(await listTeamRows(ctx)),
  'teams.read': (ctx, { team }) => readTeamRow(ctx, team),
  'teams.folders': (ctx, { team }) => readFolders(ctx, team),
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
  'teams.setFolders': async (ctx, { team, repositories }, { gitHost }) => {
    await setRepositories(ctx, gitHost, team, repositories)
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
