import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Sentry',
  about: 'Issues and alert rules of an internal integration.',
  ownSecret: 'Client secret',
  steps: [
    { text: 'In Sentry, open Settings, Custom Integrations, and create an internal integration.' },
    { text: 'Paste the address as Webhook URL and turn Alert Rule Action on:', code: '{url}' },
    {
      text: 'Give Issue & Event the right Read, and tick issue under Webhooks: recoveries come that way. Save.',
    },
    { text: 'Copy the client secret and paste it into this source.' },
    { text: 'In each alert rule that matters, add the action that notifies your integration.' },
  ],
  notes: [
    'The test of a rule is recorded as a test and opens nothing.',
    'With issue ticked, every new issue is an alert, also without a rule. Raise the lowest severity if that is too much.',
    'Sentry does not try again: an alert that is refused is lost.',
  ],
  body: '{"action": "created", "data": {"issue": {"id": "1", "title": "This is an example JavaScript exception", "level": "error", "project": {"slug": "by-hand"}}}}',
}
