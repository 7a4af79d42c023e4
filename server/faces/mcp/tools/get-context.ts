import { teamSlug } from '@signalbox/contract/keys.ts'
import { fromJson, timestamp } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { readWorkspace } from '../../../domain/accounts/workspaces/read.ts'
import { countPending } from '../../../domain/work/decisions/count-pending.ts'
import { listTeams } from '../../../domain/work/teams/list.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, mostWaitSeconds, nextStep, reads, roleWord, takes, tool, url } from '../calls/tool.ts'

export const getContext = tool({
  name: 'get_context',
  title: 'See who you act for',
  description:
    'Start here. Says on whose behalf you act and with which role, the workspace, its teams with their slugs and story key prefixes, how many decisions need an answer, when the token expires, and the limits of this server.',
  toolset: 'default',
  hints: reads,
  input: takes({}),
  output: gives({
    person: Type.Object({ name: Type.String(), role: roleWord }),
    workspace: Type.Object({ slug: Type.String(), name: Type.String() }),
    teams: Type.Array(
      Type.Object({ slug: teamSlug, name: Type.String(), keyPrefix: Type.String(), paused: Type.Boolean() }),
    ),
    pendingDecisions: Type.Integer(),
    token: Type.Object({ prefix: Type.String(), expiresAt: timestamp }),
    limits: Type.Object({ requestsPerMinute: Type.Integer(), waitSeconds: Type.Integer() }),
    serverTime: timestamp,
    url,
    nextStep,
  }),
  outside: ['teams.name', 'workspace.name'],
  async call(call) {
    const { ctx, holder, requestsPerMinute } = call
    const [{ slug, name }, teams, count] = await Promise.all([
      readWorkspace(ctx),
      listTeams(ctx),
      countPending(ctx),
    ])
    // What its person has snoozed still waits.
    const { pending, snoozed } = fromJson(count)
    return {
      person: { name: holder.personName, role: holder.role },
      workspace: { slug, name },
      teams: teams
        .map(fromJson)
        .map(({ slug, name, keyPrefix, paused }) => ({ slug, name, keyPrefix, paused })),
      pendingDecisions: pending + snoozed,
      token: { prefix: holder.prefix, expiresAt: holder.expiresAt.toISOString() },
      limits: { requestsPerMinute, waitSeconds: mostWaitSeconds },
      serverTime: ctx.clock.now().toISOString(),
      url: await appUrl(call),
      nextStep: 'Call get_story with a key such as WEB-12, or list_stories with a team’s slug.',
    }
  },
})
