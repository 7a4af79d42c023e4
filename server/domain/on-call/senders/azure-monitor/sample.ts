import type { Severity } from '@signalbox/contract/signal.ts'
import { idOf, type Sample, startOf } from '../sender/sample.ts'

export const sample: Sample = (alert) => ({
  body: {
    schemaId: 'azureMonitorCommonAlertSchema',
    data: {
      essentials: {
        alertId: `/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.AlertsManagement/alerts/${idOf(alert)}`,
        alertRule: alert.title,
        severity: severities[alert.severity],
        signalType: 'Metric',
        monitorCondition: alert.status === 'firing' ? 'Fired' : 'Resolved',
        monitoringService: 'Platform',
        alertTargetIDs: [],
        configurationItems: [alert.service],
        originAlertId: idOf(alert),
        firedDateTime: startOf(alert),
        ...(alert.status === 'resolved' ? { resolvedDateTime: alert.at.toISOString() } : {}),
        description: alert.title,
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
