import { IncidentListed, incidentStatuses } from '@signalbox/contract/incident.ts'
import { incidentKey, teamSlug } from '@signalbox/contract/keys.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { type Of, oneOf } from '@signalbox/contract/shapes.ts'
import { severities } from '@signalbox/contract/signal.ts'
import { Type } from 'typebox'
import { listIncidents as list } from '../../../domain/on-call/incidents/list.ts'
import { clipped, detail, optional, pageArguments, pageOf, reads, takes, tool } from '../calls/tool.ts'

const Summary = Type.Object({
  key: incidentKey,
  title: Type.String(),
  severity: oneOf(severities),
  status: oneOf(incidentStatuses),
  team: teamSlug,
  assignee: optional(Type.String()),
})

const summaryOf = ({ key, title, severity, status, team, assignee }: IncidentListed): Of<typeof Summary> => ({
  ...{ key, title: clipped(title), severity, status, team },
  ...(assignee ? { assignee: assignee.name } : {}),
})

export const listIncidents = tool({
  name: 'list_incidents',
  title: 'List incidents',
  description:
    'Lists incidents, newest first: key, title, severity, status (open or resolved), team, who has taken it. Narrow it by status or severity. detail full: service, who acknowledged it and times too.',
  toolset: 'oncall',
  hints: reads,
  onReplica: true,
  input: takes({
    status: optional(oneOf(incidentStatuses, 'only these')),
    severity: optional(oneOf(severities, 'only these')),
    detail,
    ...pageArguments,
  }),
  output: pageShape(Type.Union([Summary, IncidentListed])),
  outside: ['data.title'],
  async call(call, { detail = 'summary', ...input }) {
    const { limit: _, cursor: __, ...filter } = input
    const page = await pageOf(call, 'list_incidents', input, (request) => list(call.ctx, filter, request))
    return detail === 'full' ? page : { ...page, data: page.data.map(summaryOf) }
  },
})
