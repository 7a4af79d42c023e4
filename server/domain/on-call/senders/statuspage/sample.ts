import type { Severity } from '@signalbox/contract/signal.ts'
import { deliveryOf, idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    meta: {
      unsubscribe: 'https://status.example.com/?unsubscribe=x',
      documentation: 'https://doers.statuspage.io',
    },
    page: { id: 'j2mfxwj97wnj', status_indicator: 'none', status_description: 'All Systems Operational' },
    incident: {
      id: idOf(alert).slice(0, 12),
      name: alert.title,
      status: alert.status === 'firing' ? 'investigating' : 'resolved',
      impact: impacts[alert.severity],
      created_at: startOf(alert),
      updated_at: alert.at.toISOString(),
      resolved_at: alert.status === 'resolved' ? alert.at.toISOString() : null,
      shortlink: 'https://stspg.io/x',
      components: [{ id: 'c1', name: alert.service, status: 'operational' }],
      incident_updates: [
        {
          id: deliveryOf(alert).slice(0, 12),
          status: alert.status === 'firing' ? 'investigating' : 'resolved',
          body: alert.title,
          created_at: alert.at.toISOString(),
        },
      ],
    },
  },
})

const impacts: Record<Severity, string> = {
  critical: 'critical',
  high: 'major',
  medium: 'minor',
  low: 'minor',
  info: 'maintenance',
}
