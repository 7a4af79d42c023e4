import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Opsgenie',
  about: 'Alerts from an outgoing webhook. Works with Jira Service Management too.',
  credentials: 'API integration key',
  steps: [
    { text: 'In Opsgenie, open Settings, Integrations, and add an outgoing Webhook integration.' },
    { text: 'Paste the address as the webhook URL:', code: '{url}' },
    { text: 'Add a custom header:', code: 'Authorization: Bearer {secret}' },
    { text: 'Turn on adding the description and details to the payload.' },
    {
      text: 'Post when an alert is created, acknowledged, closed, deleted, and when its priority is updated. Turn the integration on.',
    },
  ],
  notes: [
    'Opsgenie has no test alert. By default, alerts of priority P3 or below don’t open incidents.',
    'Acknowledgements never open incidents.',
  ],
  body: '{"action": "Close", "alert": {"alertId": "by-hand", "message": "A test by hand"}}',
}
