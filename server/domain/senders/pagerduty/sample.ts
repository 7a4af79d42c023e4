import { deliveryOf, idOf, priorities, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    event: {
      id: `01${deliveryOf(told).toUpperCase()}`,
      event_type: told.status === 'firing' ? 'incident.triggered' : 'incident.resolved',
      resource_type: 'incident',
      occurred_at: told.at.toISOString(),
      agent: null,
      client: null,
      data: {
        id: `Q${idOf(told).slice(0, 13).toUpperCase()}`,
        type: 'incident',
        self: 'https://api.pagerduty.com/incidents/Q0',
        html_url: 'https://example.pagerduty.com/incidents/Q0',
        number: 42,
        status: told.status === 'firing' ? 'triggered' : 'resolved',
        incident_key: idOf(told),
        created_at: startOf(told),
        title: told.title,
        service: { id: 'PSERVICE', summary: told.service, type: 'service_reference' },
        assignees: [],
        priority: { id: 'PPRIORITY', summary: priorities[told.severity], type: 'priority_reference' },
        urgency: told.severity === 'critical' || told.severity === 'high' ? 'high' : 'low',
        conference_bridge: null,
        resolve_reason: null,
      },
    },
  },
  headers: { 'x-webhook-id': deliveryOf(told) },
})
