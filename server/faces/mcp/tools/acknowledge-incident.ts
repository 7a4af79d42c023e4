import { incidentKey } from '@signalbox/contract/keys.ts'
import { Type } from 'typebox'
import { acknowledgeIncident as acknowledge } from '../../../domain/on-call/incidents/acknowledge.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, takes, tool, url, writes } from '../calls/tool.ts'

export const acknowledgeIncident = tool({
  name: 'acknowledge_incident',
  title: 'Acknowledge an incident',
  description:
    'Acknowledges an open incident for your user: here, in its chat channels, and in the alerting tool where the service allows it. Only do it when they have seen it.',
  toolset: 'oncall',
  hints: writes('idempotent', 'openWorld'),
  input: takes({ incident: incidentKey }),
  output: gives({ incident: incidentKey, acknowledged: Type.Boolean(), url }),
  outside: [],
  async call(call, { incident }) {
    await acknowledge(call.ctx, incident)
    return { incident, acknowledged: true, url: await appUrl(call, 'incidents', incident) }
  },
})
