import { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import { incidentKey } from '@signalbox/contract/keys.ts'
import { fromJson } from '@signalbox/contract/shapes.ts'
import { readIncidentDetails } from '../../../domain/on-call/incidents/read.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, reads, takes, tool, url } from '../calls/tool.ts'

export const getIncident = tool({
  name: 'get_incident',
  title: 'Read an incident',
  description:
    'Reads one incident: its alerts, what the investigation found with its evidence and confidence, the timeline, decisions, stories and runs that came from it, and who was notified.',
  toolset: 'oncall',
  hints: reads,
  input: takes({ incident: incidentKey }),
  output: gives({ ...IncidentPage.properties, url }),
  outside: ['title', 'alertList', 'finding', 'timeline.text', 'stories.title', 'decisions.title'],
  async call(call, { incident }) {
    const page = fromJson(await readIncidentDetails(call.ctx, incident))
    return { ...page, url: await appUrl(call, 'incidents', incident) }
  },
})
