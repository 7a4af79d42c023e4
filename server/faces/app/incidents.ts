import type { reads, writes } from '@signalbox/contract/app/incidents.ts'
import { addNote } from '../../domain/incidents/add-note.ts'
import { countOpenIncidents } from '../../domain/incidents/count-open.ts'
import { listIncidents } from '../../domain/incidents/list.ts'
import { readIncidentPage } from '../../domain/incidents/read.ts'
import { type Handlers, paged } from './operation.ts'

export const incidentsHandlers: Handlers<typeof reads & typeof writes> = {
  'incidents.list': (ctx, input, tools) => {
    const { limit: _, cursor: __, ...filter } = input
    return paged(ctx, tools, 'incidents.list', input, (page) => listIncidents(ctx, filter, page))
  },
  'incidents.count': async (ctx) => ({ open: await countOpenIncidents(ctx) }),
  'incidents.read': (ctx, { incident }) => readIncidentPage(ctx, incident),
  'incidents.note': async (ctx, { incident, text }) => {
    await addNote(ctx, incident, text)
    return null
  },
}
