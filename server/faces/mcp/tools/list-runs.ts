import { storyKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { RunListed } from '@signalbox/contract/run.ts'
import { listRuns as list } from '../../../domain/work/runs/list.ts'
import { optional, pageArguments, pageOf, reads, takes, tool } from '../calls/tool.ts'

export const listRuns = tool({
  name: 'list_runs',
  title: 'List runs',
  description:
    'Lists runs, newest first: key, story, status and stage of the latest attempt, coding agent, attempts, cost and budget in euro cents, why it failed, pull request. Narrow it by team or story.',
  toolset: 'default',
  hints: reads,
  input: takes({ team: optional(teamSlug), story: optional(storyKey), ...pageArguments }),
  output: pageShape(RunListed),
  outside: ['data.story.title'],
  call: (call, input) => {
    const { team, story } = input
    return pageOf(call, 'list_runs', input, (page) => list(call.ctx, { team, story }, page))
  },
})
