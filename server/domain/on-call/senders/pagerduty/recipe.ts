import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'PagerDuty',
  about: 'Incidents from a v3 webhook subscription.',
  ownSecret: 'Signing secret',
  credentials: 'API key',
  steps: [
    {
      text: 'In PagerDuty, open Integrations, Generic Webhooks (v3), and create a webhook with this address:',
      code: '{url}',
    },
    {
      text: 'Choose its scope, and subscribe to incident.triggered, incident.acknowledged, incident.unacknowledged, incident.reopened, incident.resolved and incident.priority_updated.',
    },
    { text: 'Save. PagerDuty shows the signing secret once: copy it.' },
    { text: 'Paste it here as this source’s signing secret.' },
    { text: 'Send a test event from the subscription.' },
  ],
  notes: [
    'The test event, pagey.ping, is recorded as a test and doesn’t open an incident.',
    'After three refused deliveries in a row, PagerDuty turns the subscription off for a day. Check that the test event arrives.',
    'Version 1 and 2 extensions aren’t signed, so they’re refused.',
  ],
  body: '{"event": {"id": "by-hand", "event_type": "pagey.ping", "resource_type": "pagey", "data": {"message": "A test by hand"}}}',
}
