import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Your own scripts',
  inSentence: 'your own scripts',
  sourceName: 'Scripts',
  about: 'Anything that can send a signed POST request.',
  steps: [
    { text: 'Give your script the secret as SECRET and the address as URL.' },
    {
      text: 'Send each alert as JSON with at least a title. The other fields are optional:',
      code: `{
  "title": "Nightly backup failed",
  "severity": "high",
  "fingerprint": "backup/orders",
  "service": "order-mailer",
  "labels": {"database": "orders"}
}`,
    },
    { text: 'Sign the exact bytes you send, with the time in front. The command below shows how.' },
    { text: 'When the problem is over, send the same fingerprint with "status": "resolved".' },
  ],
  notes: [
    'Without a fingerprint or an id, a changing title creates a new alert each time, which never recovers.',
    'The command sends an alert that is already over, so it doesn’t open an incident.',
    'Requests with a timestamp older than five minutes are refused.',
  ],
  body: '{"title": "A test by hand", "status": "resolved", "fingerprint": "by-hand"}',
}
