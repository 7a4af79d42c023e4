import { IncidentListed, incidentStatuses } from '@signalbox/contract/incident.ts'
import { pageOf as pageShape } from '@signalbox/contract/page.ts'
import { oneOf } from '@signalbox/contract/shapes.ts'
import { severities } from '@signalbox/contract/signal.ts'
import { listIncidents as list } from '../../../domain/on-call/incidents/list.ts'
import { optional, pageArguments, pageOf, reads, takes, tool } from '../calls/tool.ts'

export const listIncidents = tool({
  name: 'list_incidents',
  title: 'List incidents',
  description:
    'Lists incidents, newest first: key, title, severity, status (open or resolved), service, team, who has taken it, who acknowledged it. Narrow it by status or severity.',
  toolset: 'oncall',
  hints: reads,
  input: takes({
    status: optional(oneOf(incidentStatuses, 'only these')),
    severity: optional(oneOf(severities, 'only these')),
    ...pageArguments,
  }),
  output: pageShape(IncidentListed),
  outside: ['data.title'],
  call: (call, input) => {
    const { limit: _, cursor: __, ...filter } = input
    return pageOf(call, 'list_incidents', input, (page) => list(call.ctx, filter, page))
  },
})
