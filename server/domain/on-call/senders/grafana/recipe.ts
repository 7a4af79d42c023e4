import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Grafana',
  about: 'Alerts from a webhook contact point.',
  steps: [
    { text: 'In Grafana, open Alerting, Contact points, and add a contact point.' },
    { text: 'Choose Webhook as the integration and paste the address as the URL:', code: '{url}' },
    {
      text: 'In the optional settings, under HMAC signature, paste the secret. Leave both header names empty, unless you set them in this source’s settings.',
      code: '{secret}',
    },
    { text: 'Leave the payload as it is, test it and save.' },
    { text: 'Under Notification policies, send the alerts you want to this contact point.' },
    {
      text: 'Give your rules a severity label. Without one they’re medium, which doesn’t open incidents by default.',
    },
  ],
  notes: [
    'The test button sends TestAlert. It’s recorded as a test and doesn’t open an incident.',
    'Leave resolved messages on, or alerts never recover.',
    'If your Grafana has no HMAC signatures, send the secret as the credentials of its authorization header, with the scheme Bearer.',
  ],
  body: '{"status": "firing", "alerts": [{"status": "firing", "fingerprint": "by-hand", "labels": {"alertname": "TestAlert", "instance": "Grafana"}}]}',
}
