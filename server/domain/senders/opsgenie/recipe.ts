import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Opsgenie',
  about: 'Alerts of an outgoing webhook; also Jira Service Management.',
  credentials: 'Key of an API integration',
  steps: [
    { text: 'In Opsgenie, open Settings, Integrations, and add an outgoing Webhook integration.' },
    { text: 'Paste the address as webhook URL:', code: '{url}' },
    { text: 'Add a custom header:', code: 'Authorization: Bearer {secret}' },
    { text: 'Tick that description and details are added to the payload.' },
    {
      text: 'Post when an alert is created, acknowledged, closed, deleted, and when its priority is updated. Turn the integration on.',
    },
  ],
  notes: [
    'There is no test body. An alert of priority P3 or below opens nothing at the default.',
    'An acknowledgement never opens an incident.',
  ],
  body: '{"action": "Close", "alert": {"alertId": "by-hand", "message": "A test by hand"}}',
}
