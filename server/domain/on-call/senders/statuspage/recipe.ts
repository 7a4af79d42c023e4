import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Statuspage',
  about: 'Incidents from a provider you depend on.',
  steps: [
    { text: 'Open the status page and choose to subscribe to updates.' },
    {
      text: 'On the webhook tab, enter this address and an email address for delivery failures:',
      code: '{key}',
    },
    { text: 'If the page offers it, choose the components you depend on.' },
  ],
  notes: [
    'If the webhook tab is missing, the owner of the page has turned it off.',
    '“Major” on a status page means a partial outage, so it counts as high, not critical.',
  ],
  body: '{"page": {"id": "by-hand"}, "incident": {"id": "by-hand", "name": "A test by hand", "status": "resolved", "impact": "none"}}',
}
