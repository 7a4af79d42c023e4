import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Datadog',
  about: 'Monitors that notify a webhook.',
  steps: [
    {
      text: 'In Datadog, open Integrations, Webhooks, create one called signalbox, and paste the address as the URL:',
      code: '{url}',
    },
    {
      text: 'Replace the payload. Datadog’s default has no state or priority.',
      code: `{
  "id": "$ID",
  "title": "$EVENT_TITLE",
  "alert_transition": "$ALERT_TRANSITION",
  "alert_type": "$ALERT_TYPE",
  "alert_priority": "$ALERT_PRIORITY",
  "alert_id": "$ALERT_ID",
  "alert_scope": "$ALERT_SCOPE",
  "aggreg_key": "$AGGREG_KEY",
  "date": "$DATE",
  "last_updated": "$LAST_UPDATED",
  "body": "$EVENT_MSG",
  "tags": "$TAGS",
  "hostname": "$HOSTNAME",
  "link": "$LINK"
}`,
    },
    { text: 'Tick Custom Headers and enter:', code: '{"Authorization": "Bearer {secret}"}' },
    { text: 'Leave Encode as form off and save.' },
    {
      text: 'Add @webhook-signalbox to each monitor’s message, outside of any condition, so that recoveries are sent too.',
    },
  ],
  notes: [
    'A test from the monitor editor looks like a real alert, unless its title starts with [TEST].',
    'Give monitors a priority. Without one, the alert type decides, and errors count as high.',
  ],
  body: '{"title": "[TEST] [P2] [Triggered] A test by hand", "alert_transition": "Triggered", "alert_priority": "P2", "aggreg_key": "by-hand"}',
}
