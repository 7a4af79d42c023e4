import type { Severity } from '@signalbox/contract/signal.ts'
import { deliveryOf, idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    action: told.status === 'firing' ? 'created' : 'resolved',
    installation: { uuid: 'a8e5d37a-696c-4c54-adb5-b3f28d64c7de' },
    data: {
      issue: {
        id: String(Number.parseInt(idOf(told).slice(0, 8), 16)),
        shortId: 'CHECKOUT-1',
        title: told.title,
        culprit: 'checkout.total',
        level: levels[told.severity],
        status: told.status === 'firing' ? 'unresolved' : 'resolved',
        platform: 'node',
        project: { id: '1', name: told.service, slug: told.service, platform: 'node' },
        type: 'error',
        metadata: { type: 'TypeError', value: told.title },
        web_url: 'https://example.sentry.io/issues/1/',
        firstSeen: startOf(told),
        lastSeen: told.at.toISOString(),
      },
    },
    actor: { type: 'application', id: 'sentry', name: 'Sentry' },
  },
  headers: {
    'sentry-hook-resource': 'issue',
    'sentry-hook-timestamp': String(Math.floor(told.at.getTime() / 1000)),
    'request-id': deliveryOf(told),
  },
})

const levels: Record<Severity, string> = {
  critical: 'fatal',
  high: 'error',
  medium: 'warning',
  low: 'warning',
  info: 'info',
}
