import type { Severity } from '@signalbox/contract/signal.ts'
import { idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (told) => ({
  body: {
    schemaId: 'azureMonitorCommonAlertSchema',
    data: {
      essentials: {
        alertId: `/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.AlertsManagement/alerts/${idOf(told)}`,
        alertRule: told.title,
        severity: severities[told.severity],
        signalType: 'Metric',
        monitorCondition: told.status === 'firing' ? 'Fired' : 'Resolved',
        monitoringService: 'Platform',
        alertTargetIDs: [],
        configurationItems: [told.service],
        originAlertId: idOf(told),
        firedDateTime: startOf(told),
        ...(told.status === 'resolved' ? { resolvedDateTime: told.at.toISOString() } : {}),
        description: told.title,
        essentialsVersion: '1.0',
        alertContextVersion: '1.0',
      },
      alertContext: {},
      customProperties: { environment: 'production' },
    },
  },
})

const severities: Record<Severity, string> = {
  critical: 'Sev0',
  high: 'Sev1',
  medium: 'Sev2',
  low: 'Sev3',
  info: 'Sev4',
}
