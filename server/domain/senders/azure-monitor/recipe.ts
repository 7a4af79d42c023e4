import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Azure Monitor',
  about: 'Alerts of an action group.',
  steps: [
    { text: 'In the Azure portal, open Monitor, Alerts, Action groups, and create or edit a group.' },
    { text: 'Add an action of the type Webhook, with this URI:', code: '{key}' },
    { text: 'Set the common alert schema to Yes, and save.' },
    { text: 'Choose the group in your alert rules, and let them resolve by themselves.' },
    {
      text: 'If this source feeds several services, give each rule a custom property service with the name.',
    },
  ],
  notes: [
    'Test action group sends samples, which are recorded as tests and open nothing.',
    'Alerts of the activity log never resolve: the incident stays open.',
    'Secure webhooks, with Microsoft Entra ID, are not understood.',
  ],
  body: '{"schemaId": "azureMonitorCommonAlertSchema", "data": {"essentials": {"alertId": "by-hand", "alertRule": "test-by-hand", "severity": "Sev4", "monitorCondition": "Fired"}}}',
}
