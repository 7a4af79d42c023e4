import type { reads, writes } from '@signalbox/contract/app/incidents.ts'
import { acknowledgeIncident } from '../../../domain/on-call/incidents/acknowledge.ts'
import { readAlertActivity } from '../../../domain/on-call/incidents/activity.ts'
import { addNote } from '../../../domain/on-call/incidents/add-note.ts'
import { askAnyway } from '../../../domain/on-call/incidents/ask-anyway.ts'
import { changeSeverity } from '../../../domain/on-call/incidents/change-severity.ts'
import { countOpenIncidents } from '../../../domain/on-call/incidents/count-open.ts'
import { listIncidents } from '../../../domain/on-call/incidents/list.ts'
import { readIncidentDetails } from '../../../domain/on-call/incidents/read.ts'
import { resolveIncident } from '../../../domain/on-call/incidents/resolve.ts'
import { takeIncident } from '../../../domain/on-call/incidents/take.ts'
import { type Handlers, paged } from '../operation.ts'

export const incidentsHandlers: Handlers<typeof reads & typeof writes> = {
  'incidents.list': (ctx, input, tools) => {
    const { limit: _, cursor: __, ...filter } = input
    return paged(ctx, tools, 'incidents.list', input, (page) => listIncidents(ctx, filter, page))
  },
  'incidents.count': async (ctx) => ({ open: await countOpenIncidents(ctx) }),
  'incidents.activity': (ctx, { incident }) => readAlertActivity(ctx, incident),
  'incidents.read': (ctx, { incident }) => readIncidentDetails(ctx, incident),
  'incidents.acknowledge': async (ctx, { incident }) => {
    await acknowledgeIncident(ctx, incident)
    return null
  },
  'incidents.take': async (ctx, { incident, from }) => {
    await takeIncident(ctx, incident, from)
    return null
  },
  'incidents.changeSeverity': async (ctx, { incident, ...input }) => {
    await changeSeverity(ctx, incident, input)
    return null
  },
  'incidents.resolve': async (ctx, { incident, reason }) => {
    await resolveIncident(ctx, incident, { reason })
    return null
  },
  'incidents.note': async (ctx, { incident, text }) => {
    await addNote(ctx, incident, text)
    return null
  },
  'incidents.askAnyway': async (ctx, { incident }) => ({ decision: await askAnyway(ctx, incident) }),
}
