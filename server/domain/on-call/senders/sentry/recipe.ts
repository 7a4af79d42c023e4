import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Sentry',
  about: 'Issues and alert rules from an internal integration.',
  ownSecret: 'Client secret',
  steps: [
    { text: 'In Sentry, open Settings, Custom Integrations, and create an internal integration.' },
    { text: 'Paste the address as the Webhook URL and turn Alert Rule Action on:', code: '{url}' },
    {
      text: 'Set Issue & Event to Read, and select issue under Webhooks so that recoveries are sent. Save.',
    },
    { text: 'Copy the client secret and paste it here.' },
    { text: 'In each alert rule you care about, add the action that notifies your integration.' },
  ],
  notes: [
    'A rule’s test is recorded as a test and doesn’t open an incident.',
    'With issue selected, every new issue raises an alert, even without a rule. Raise the lowest severity if that’s too much.',
    'Sentry doesn’t retry, so refused alerts are lost.',
  ],
  body: '{"action": "created", "data": {"issue": {"id": "1", "title": "This is an example JavaScript exception", "level": "error", "project": {"slug": "by-hand"}}}}',
}
