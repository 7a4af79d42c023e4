import { teamSlug } from '@signalbox/contract/keys.ts'
import { Type } from 'typebox'
import { resumeTeam as resume } from '../../../domain/work/teams/resume.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, takes, tool, url, writes } from '../calls/tool.ts'

export const resumeTeam = tool({
  name: 'resume_team',
  title: 'Resume a team',
  description: 'Lets a paused team pick up Ready stories again. Owners and admins only.',
  toolset: 'default',
  hints: writes('idempotent'),
  input: takes({ team: teamSlug }),
  output: gives({ team: teamSlug, paused: Type.Boolean(), url, nextStep }),
  outside: [],
  async call(call, { team }) {
    await resume(call.ctx, team)
    return {
      team,
      paused: false,
      url: await appUrl(call, 'teams', team, 'board'),
      nextStep: 'Call list_runs with the team to see what it starts.',
    }
  },
})
