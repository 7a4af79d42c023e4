import type { Recipe } from '../sender/sender.ts'

export const recipe: Recipe = {
  name: 'Azure Monitor',
  about: 'Alerts from an action group.',
  steps: [
    { text: 'In the Azure portal, open Monitor, Alerts, Action groups, and create or edit a group.' },
    { text: 'Add a Webhook action with this URI:', code: '{key}' },
    { text: 'Set the common alert schema to Yes and save.' },
    { text: 'Choose the group in your alert rules, and turn on automatic resolution.' },
    {
      text: 'If this source has several services, give each rule a custom property called service with the service’s name.',
    },
  ],
  notes: [
    'Test action group sends samples. They’re recorded as tests and don’t open incidents.',
    'Activity log alerts never resolve, so their incidents stay open.',
    'Secure webhooks (Microsoft Entra ID) aren’t supported.',
  ],
  body: '{"schemaId": "azureMonitorCommonAlertSchema", "data": {"essentials": {"alertId": "by-hand", "alertRule": "test-by-hand", "severity": "Sev4", "monitorCondition": "Fired"}}}',
}
