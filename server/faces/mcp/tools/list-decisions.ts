import { Decision, decisionStatuses } from '@signalbox/contract/decision.ts'
import { runKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { oneOf } from '@signalbox/contract/shapes.ts'
import { listDecisions as list } from '../../../domain/decisions/list.ts'
import { optional, pageArguments, pageOf, reads, takes, tool } from '../calls/tool.ts'

export const listDecisions = tool({
  name: 'list_decisions',
  title: 'List decisions',
  description:
    'Lists decisions, the points where a person is needed, newest first: key, kind, title, reasoning, options, the recommended one, who may answer (authority), status and answer. Narrow it by status (pending: waits for an answer), team or run.',
  toolset: 'default',
  hints: reads,
  input: takes({
    status: optional(oneOf(decisionStatuses)),
    team: optional(teamSlug),
    run: optional(runKey),
    ...pageArguments,
  }),
  output: pageShape(Decision),
  outside: ['data.title', 'data.body', 'data.options.label', 'data.story.title', 'data.resolution.note'],
  call: (call, input) => {
    const { status, team, run } = input
    return pageOf(call, 'list_decisions', input, (page) => list(call.ctx, { status, team, run }, page))
  },
})
