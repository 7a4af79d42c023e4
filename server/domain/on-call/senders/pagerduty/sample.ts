import { deliveryOf, idOf, priorities, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    event: {
      id: `01${deliveryOf(alert).toUpperCase()}`,
      event_type: alert.status === 'firing' ? 'incident.triggered' : 'incident.resolved',
      resource_type: 'incident',
      occurred_at: alert.at.toISOString(),
      agent: null,
      client: null,
      data: {
        id: `Q${idOf(alert).slice(0, 13).toUpperCase()}`,
        type: 'incident',
        self: 'https://api.pagerduty.com/incidents/Q0',
        html_url: 'https://example.pagerduty.com/incidents/Q0',
        number: 42,
        status: alert.status === 'firing' ? 'triggered' : 'resolved',
        incident_key: idOf(alert),
        created_at: startOf(alert),
        title: alert.title,
        service: { id: 'PSERVICE', summary: alert.service, type: 'service_reference' },
        assignees: [],
        priority: { id: 'PPRIORITY', summary: priorities[alert.severity], type: 'priority_reference' },
        urgency: alert.severity === 'critical' || alert.severity === 'high' ? 'high' : 'low',
        conference_bridge: null,
        resolve_reason: null,
      },
    },
  },
  headers: { 'x-webhook-id': deliveryOf(alert) },
})
