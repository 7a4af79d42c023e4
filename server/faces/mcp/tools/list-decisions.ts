import { Decision, decisionKinds, decisionStatuses } from '@signalbox/contract/decision.ts'
import { decisionKey, runKey, storyKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { Type } from 'typebox'
import { listDecisions as list } from '../../../domain/work/decisions/list.ts'
import { clipped, detail, optional, pageArguments, pageOf, reads, takes, tool } from '../calls/tool.ts'

const Summary = Type.Object({
  key: decisionKey,
  kind: oneOf(decisionKinds),
  title: Type.String(),
  status: oneOf(decisionStatuses),
  story: optional(storyKey),
  team: optional(teamSlug),
  run: optional(runKey),
})

const summaryOf = ({ key, kind, title, status, team, story, runKey }: Decision): Of<typeof Summary> => ({
  ...{ key, kind, title: clipped(title), status },
  // The key of a story says which team it belongs to, and leads to its run.
  ...(story ? { story: story.key } : { team, ...(runKey ? { run: runKey } : {}) }),
})

export const listDecisions = tool({
  name: 'list_decisions',
  title: 'List decisions',
  description:
    'Lists decisions, the points where a person is needed, newest first: key, kind, title, status, and the story or, without one, team and run. Narrow it by status, team or run. get_decision has the reasoning and the options of one, detail full those of all.',
  toolset: 'default',
  hints: reads,
  input: takes({
    status: optional(oneOf(decisionStatuses, 'only these; pending: needs an answer')),
    team: optional(teamSlug),
    run: optional(runKey),
    detail,
    ...pageArguments,
  }),
  output: pageShape(Type.Union([Summary, Decision])),
  outside: ['data.title', 'data.body', 'data.options.label', 'data.story.title', 'data.resolution.note'],
  async call(call, { detail = 'summary', ...input }) {
    const { status, team, run } = input
    const page = await pageOf(call, 'list_decisions', input, (request) =>
      list(call.ctx, { status, team, run }, request),
    )
    return detail === 'full' ? page : { ...page, data: page.data.map(summaryOf) }
  },
})
