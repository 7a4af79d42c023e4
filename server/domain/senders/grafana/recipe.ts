import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Grafana',
  about: 'Alerts of a webhook contact point.',
  steps: [
    { text: 'In Grafana, open Alerting, Contact points, and add a contact point.' },
    { text: 'Choose Webhook as integration and paste the address as URL:', code: '{url}' },
    {
      text: 'In the optional settings, under HMAC signature, paste the secret. Leave both header names empty, unless the settings of this source name them.',
      code: '{secret}',
    },
    { text: 'Leave the payload as it is, test it, and save.' },
    { text: 'Under Notification policies, send the alerts you want to this contact point.' },
    {
      text: 'Give your rules a label severity: without one they are medium, and open nothing at the default.',
    },
  ],
  notes: [
    'The test button sends TestAlert, which is recorded as a test and opens nothing.',
    'Leave resolved messages on, or nothing ever recovers.',
    'A Grafana without HMAC signatures can send the secret instead: as the credentials of its authorization header, with the scheme Bearer.',
  ],
  body: '{"status": "firing", "alerts": [{"status": "firing", "fingerprint": "by-hand", "labels": {"alertname": "TestAlert", "instance": "Grafana"}}]}',
}
