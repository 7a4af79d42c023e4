import type { Severity } from '@signalbox/contract/signal.ts'
import { deliveryOf, idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    meta: {
      unsubscribe: 'https://status.example.com/?unsubscribe=x',
      documentation: 'https://doers.statuspage.io',
    },
    page: { id: 'j2mfxwj97wnj', status_indicator: 'none', status_description: 'All Systems Operational' },
    incident: {
      id: idOf(told).slice(0, 12),
      name: told.title,
      status: told.status === 'firing' ? 'investigating' : 'resolved',
      impact: impacts[told.severity],
      created_at: startOf(told),
      updated_at: told.at.toISOString(),
      resolved_at: told.status === 'resolved' ? told.at.toISOString() : null,
      shortlink: 'https://stspg.io/x',
      components: [{ id: 'c1', name: told.service, status: 'operational' }],
      incident_updates: [
        {
          id: deliveryOf(told).slice(0, 12),
          status: told.status === 'firing' ? 'investigating' : 'resolved',
          body: told.title,
          created_at: told.at.toISOString(),
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
