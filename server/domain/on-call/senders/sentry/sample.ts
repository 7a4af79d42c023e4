import type { Severity } from '@signalbox/contract/signal.ts'
import { deliveryOf, idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    action: alert.status === 'firing' ? 'created' : 'resolved',
    installation: { uuid: 'a8e5d37a-696c-4c54-adb5-b3f28d64c7de' },
    data: {
      issue: {
        id: String(Number.parseInt(idOf(alert).slice(0, 8), 16)),
        shortId: 'CHECKOUT-1',
        title: alert.title,
        culprit: 'checkout.total',
        level: levels[alert.severity],
        status: alert.status === 'firing' ? 'unresolved' : 'resolved',
        platform: 'node',
        project: { id: '1', name: alert.service, slug: alert.service, platform: 'node' },
        type: 'error',
        metadata: { type: 'TypeError', value: alert.title },
        web_url: 'https://example.sentry.io/issues/1/',
        firstSeen: startOf(alert),
        lastSeen: alert.at.toISOString(),
      },
    },
    actor: { type: 'application', id: 'sentry', name: 'Sentry' },
  },
  headers: {
    'sentry-hook-resource': 'issue',
    'sentry-hook-timestamp': String(Math.floor(alert.at.getTime() / 1000)),
    'request-id': deliveryOf(alert),
  },
})

const levels: Record<Severity, string> = {
  critical: 'fatal',
  high: 'error',
  medium: 'warning',
  low: 'warning',
  info: 'info',
}
