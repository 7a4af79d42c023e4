import { incidentKey } from '@signalbox/contract/keys.ts'
import { maxNoteLength } from '@signalbox/contract/limits.ts'
import { Type } from 'typebox'
import { resolveIncident as resolve } from '../../../domain/on-call/incidents/resolve.ts'
import { appUrl } from '../calls/app-url.ts'
import { gives, takes, text, tool, url, writes } from '../calls/tool.ts'

export const resolveIncident = tool({
  name: 'resolve_incident',
  title: 'Resolve an incident',
  description:
    'Resolves an open incident, with a reason, even if alerts are still firing. Members are notified. Only do it when your user has told you to.',
  toolset: 'oncall',
  hints: writes('destructive', 'idempotent', 'openWorld'),
  input: takes({ incident: incidentKey, reason: text('Why it is over.', maxNoteLength) }),
  output: gives({ incident: incidentKey, resolved: Type.Boolean(), url }),
  outside: [],
  async call(call, { incident, reason }) {
    await resolve(call.ctx, incident, { reason })
    return { incident, resolved: true, url: await appUrl(call, 'incidents', incident) }
  },
})
