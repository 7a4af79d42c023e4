import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'New Relic',
  about: 'Issues from a workflow.',
  steps: [
    {
      text: 'In New Relic, open Alerts, Destinations, choose Webhook and paste the address as the endpoint:',
      code: '{url}',
    },
    { text: 'Choose Bearer token as the authorization, paste the secret and save.', code: '{secret}' },
    { text: 'Open Alerts, Workflows, add a workflow, and filter the issues you want.' },
    { text: 'Under Notify, choose Webhook and the destination. The default template is enough.' },
    {
      text: 'Notify when an issue is activated, when it is closed, and when its priority changes. Then activate the workflow.',
    },
  ],
  notes: [
    'The test notification uses sample data that looks real, so it may open an incident. Pause the source while you test.',
    'After failures, New Relic stops sending for a few minutes and drops those notifications.',
  ],
  body: '{"id": "by-hand", "state": "CLOSED", "title": "A test by hand", "priority": "HIGH"}',
}
