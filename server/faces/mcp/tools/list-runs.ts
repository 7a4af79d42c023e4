import { runKey, storyKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { failureClasses, RunListed, runStages, runStatuses } from '@signalbox/contract/run.ts'
import { type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { listRuns as list } from '../../../domain/work/runs/list.ts'
import { detail, optional, pageArguments, pageOf, reads, takes, tool } from '../calls/tool.ts'

const Summary = Type.Object({
  key: runKey,
  story: storyKey,
  status: oneOf(runStatuses),
  stage: oneOf(runStages),
  costCents: Type.Integer(),
  failureClass: optional(oneOf(failureClasses)),
  pullRequest: optional(Type.Integer({ description: 'its number' })),
})

const summaryOf = ({ key, story, status, stage, costCents, ...more }: RunListed): Of<typeof Summary> => ({
  ...{ key, story: story.key, status, stage, costCents },
  ...(more.failureClass ? { failureClass: more.failureClass } : {}),
  ...(more.pullRequest ? { pullRequest: more.pullRequest.number } : {}),
})

export const listRuns = tool({
  name: 'list_runs',
  title: 'List runs',
  description:
    'Lists runs, newest first: key, story, status and stage of the latest attempt, cost, why it failed, pull request.',
  toolset: 'default',
  hints: reads,
  onReplica: true,
  input: takes({ team: optional(teamSlug), story: optional(storyKey), detail, ...pageArguments }),
  output: pageShape(Type.Union([Summary, RunListed])),
  outside: ['data.story.title'],
  async call(call, { detail = 'summary', ...input }) {
    const { team, story } = input
    const page = await pageOf(call, 'list_runs', input, (request) => list(call.ctx, { team, story }, request))
    return detail === 'full' ? page : { ...page, data: page.data.map(summaryOf) }
  },
})
