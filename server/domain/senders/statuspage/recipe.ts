import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Statuspage',
  about: 'Incidents of a provider you depend on.',
  steps: [
    { text: 'Open the status page and choose to subscribe to updates.' },
    {
      text: 'On the webhook tab, enter this address, and an e-mail address that hears of failures:',
      code: '{key}',
    },
    { text: 'Where the page offers it, choose the components that matter to you.' },
  ],
  notes: [
    'If the webhook tab is missing, the owner of the page has turned it off.',
    'A page’s own “major” is a partial outage: it is high, not critical.',
  ],
  body: '{"page": {"id": "by-hand"}, "incident": {"id": "by-hand", "name": "A test by hand", "status": "resolved", "impact": "none"}}',
}
