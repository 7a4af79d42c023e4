import { teamSlug } from '@signalbox/contract/keys.ts'
import { maxReasonLength } from '@signalbox/contract/limits.ts'
import { Type } from 'typebox'
import { pauseTeam as pause } from '../../../domain/work/teams/pause.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, nextStep, optional, takes, text, tool, url, writes } from '../calls/tool.ts'

export const pauseTeam = tool({
  name: 'pause_team',
  title: 'Pause a team',
  description:
    'Pauses a team: it starts no new work, and what is running finishes. Owners and admins only. reason is shown to everyone.',
  toolset: 'default',
  hints: writes('idempotent'),
  input: takes({ team: teamSlug, reason: optional(text('Why, for the others.', maxReasonLength, 0)) }),
  output: gives({ team: teamSlug, paused: Type.Boolean(), url, nextStep }),
  outside: [],
  async call(call, { team, reason }) {
    await pause(call.ctx, team, reason?.trim())
    return {
      team,
      paused: true,
      url: await appUrl(call, 'teams', team, 'board'),
      nextStep: 'resume_team lets it pick up Ready stories again.',
    }
  },
})
