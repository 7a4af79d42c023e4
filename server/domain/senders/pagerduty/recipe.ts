import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'PagerDuty',
  about: 'Incidents of a webhook subscription, version 3.',
  ownSecret: 'Signing secret',
  credentials: 'API key',
  steps: [
    {
      text: 'In PagerDuty, open Integrations, Generic Webhooks (v3), and make a new webhook with this address:',
      code: '{url}',
    },
    {
      text: 'Choose its scope, and subscribe to incident.triggered, incident.acknowledged, incident.unacknowledged, incident.reopened, incident.resolved and incident.priority_updated.',
    },
    { text: 'Save. PagerDuty shows the signing secret once: copy it.' },
    { text: 'Paste it into this source as its signing secret.' },
    { text: 'Send a test event from the subscription.' },
  ],
  notes: [
    'The test event, pagey.ping, is recorded as a test and opens nothing.',
    'After three deliveries in a row that are refused, PagerDuty turns the subscription off for a day. Check the test event.',
    'Extensions of version 1 and 2 are not signed and are refused.',
  ],
  body: '{"event": {"id": "by-hand", "event_type": "pagey.ping", "resource_type": "pagey", "data": {"message": "A test by hand"}}}',
}
