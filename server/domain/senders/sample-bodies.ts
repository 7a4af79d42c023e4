import { createHash } from 'node:crypto'
import type { SenderKind, Severity } from '@signalbox/contract/signal.ts'

/** An alert to be told of in a sender's own words. */
export interface SampleAlert {
  title: string
  severity: Severity
  status: 'firing' | 'resolved'
  service: string
  description: string
  at: Date
}

type Body = (told: SampleAlert) => { body: unknown; headers?: Record<string, string> }

/** What each tool would send of such an alert. The same title and service are the same alert, so that one can recover. */
export const sampleBodies: Record<SenderKind, Body> = {
  generic: (told) => ({
    body: {
      title: told.title,
      status: told.status,
      fingerprint: idOf(told),
      severity: told.severity,
      service: told.service,
      environment: 'production',
      description: told.description,
      startedAt: startOf(told),
      ...(told.status === 'resolved' ? { endedAt: told.at.toISOString() } : {}),
      labels: { region: 'eu-central-1' },
      links: [{ label: 'Dashboard', url: 'https://dashboards.example.com/d/checkout' }],
    },
  }),

  grafana: (told) => ({
    body: {
      receiver: 'signalbox',
      status: told.status,
      orgId: 1,
      alerts: [
        {
          ...alertmanagerAlert(told),
          values: { A: 12.4 },
          dashboardURL: 'https://grafana.example.com/d/checkout',
          panelURL: 'https://grafana.example.com/d/checkout?viewPanel=2',
          imageURL: '',
        },
      ],
      ...alertmanagerGroup(told),
      version: '1',
      title: `[${told.status.toUpperCase()}:1] ${told.title}`,
      state: told.status === 'firing' ? 'alerting' : 'ok',
      message: `**${told.status}** ${told.title}`,
    },
  }),

  alertmanager: (told) => ({
    body: {
      receiver: 'signalbox',
      status: told.status,
      alerts: [alertmanagerAlert(told)],
      ...alertmanagerGroup(told),
      version: '4',
    },
  }),

  pagerduty: (told) => ({
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
  }),

  sentry: (told) => ({
    body: {
      action: told.status === 'firing' ? 'created' : 'resolved',
      installation: { uuid: 'a8e5d37a-696c-4c54-adb5-b3f28d64c7de' },
      data: {
        issue: {
          id: String(Number.parseInt(idOf(told).slice(0, 8), 16)),
          shortId: 'CHECKOUT-1',
          title: told.title,
          culprit: 'checkout.total',
          level: sentryLevels[told.severity],
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
  }),

  datadog: (told) => ({
    body: {
      id: String(told.at.getTime()),
      title: `[${priorities[told.severity]}] [${told.status === 'firing' ? 'Triggered' : 'Recovered'}] ${told.title}`,
      body: `%%%\n${told.title}\n%%%`,
      event_type: 'metric_alert_monitor',
      date: String(told.at.getTime()),
      last_updated: String(told.at.getTime()),
      org: { id: '1', name: 'Example' },
      alert_id: String(Number.parseInt(idOf(told).slice(0, 8), 16)),
      aggreg_key: idOf(told),
      alert_title: told.title,
      alert_transition: told.status === 'firing' ? 'Triggered' : 'Recovered',
      alert_type: told.status === 'firing' ? 'error' : 'success',
      alert_priority: priorities[told.severity],
      tags: `service:${told.service},env:production`,
      link: 'https://app.datadoghq.eu/monitors/1',
    },
  }),

  newrelic: (told) => ({
    body: {
      id: idOf(told),
      issueUrl: 'https://one.newrelic.com/nerdlets/issue',
      title: told.title,
      priority: told.severity === 'info' ? 'LOW' : told.severity.toUpperCase(),
      impactedEntities: [told.service],
      totalIncidents: 1,
      state: told.status === 'firing' ? 'ACTIVATED' : 'CLOSED',
      trigger: 'STATE_CHANGE',
      isCorrelated: false,
      createdAt: Date.parse(startOf(told)),
      updatedAt: told.at.getTime(),
      sources: ['newrelic'],
      alertPolicyNames: ['Production'],
      alertConditionNames: [told.title],
      workflowName: 'signalbox',
    },
  }),

  opsgenie: (told) => ({
    body: {
      action: told.status === 'firing' ? 'Create' : 'Close',
      integrationId: 'a2d2b1e5-9c3a-4f0e-8f6b-1c2d3e4f5a6b',
      integrationName: 'signalbox',
      source: { name: '', type: 'web' },
      alert: {
        alertId: idOf(told),
        message: told.title,
        tags: ['production'],
        tinyId: '42',
        entity: told.service,
        alias: idOf(told),
        createdAt: Date.parse(startOf(told)),
        updatedAt: told.at.getTime(),
        username: 'signalbox',
        priority: priorities[told.severity],
        details: {},
      },
    },
  }),

  // Without a signature, which only SNS can make.
  cloudwatch: (told) => ({
    body: {
      Type: 'Notification',
      MessageId: deliveryOf(told),
      TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
      Subject: `${told.status === 'firing' ? 'ALARM' : 'OK'}: "${told.title}" in EU (Frankfurt)`,
      Message: JSON.stringify({
        AlarmName: told.title,
        AlarmDescription: `[${told.severity}] ${told.title}`,
        AWSAccountId: '123456789012',
        NewStateValue: told.status === 'firing' ? 'ALARM' : 'OK',
        NewStateReason: 'Threshold Crossed',
        StateChangeTime: told.at.toISOString().replace('Z', '+0000'),
        Region: 'EU (Frankfurt)',
        AlarmArn: `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${told.title}`,
      }),
      Timestamp: told.at.toISOString(),
    },
    headers: { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-message-type': 'Notification' },
  }),

  azure_monitor: (told) => ({
    body: {
      schemaId: 'azureMonitorCommonAlertSchema',
      data: {
        essentials: {
          alertId: `/subscriptions/00000000-0000-0000-0000-000000000000/providers/Microsoft.AlertsManagement/alerts/${idOf(told)}`,
          alertRule: told.title,
          severity: azureSeverities[told.severity],
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
  }),

  statuspage: (told) => ({
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
        impact: statuspageImpacts[told.severity],
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
  }),
}

const priorities: Record<Severity, string> = {
  critical: 'P1',
  high: 'P2',
  medium: 'P3',
  low: 'P4',
  info: 'P5',
}
const sentryLevels: Record<Severity, string> = {
  critical: 'fatal',
  high: 'error',
  medium: 'warning',
  low: 'warning',
  info: 'info',
}
const azureSeverities: Record<Severity, string> = {
  critical: 'Sev0',
  high: 'Sev1',
  medium: 'Sev2',
  low: 'Sev3',
  info: 'Sev4',
}
const statuspageImpacts: Record<Severity, string> = {
  critical: 'critical',
  high: 'major',
  medium: 'minor',
  low: 'minor',
  info: 'maintenance',
}

/** 16 hexadecimal digits, as most tools' own ids are. */
const idOf = ({ title, service }: SampleAlert) =>
  createHash('sha256').update(`${title}\0${service}`).digest('hex').slice(0, 16)

/** An alert begins when it is sent, so that it is a new one after a recovery. */
const startOf = ({ status, at }: SampleAlert) =>
  (status === 'firing' ? at : new Date(at.getTime() - 10 * 60 * 1000)).toISOString()

/** Each delivery has one of its own. */
const deliveryOf = (told: SampleAlert) => idOf({ ...told, title: `${told.title} ${told.at.toISOString()}` })

const alertmanagerAlert = (told: SampleAlert) => ({
  status: told.status,
  labels: labelsOf(told),
  annotations: { summary: told.title, description: told.description },
  startsAt: startOf(told),
  endsAt: told.status === 'resolved' ? told.at.toISOString() : '0001-01-01T00:00:00Z',
  generatorURL: 'https://prometheus.example.com/graph?g0.expr=up',
  fingerprint: idOf(told),
})

const alertmanagerGroup = (told: SampleAlert) => ({
  groupLabels: { alertname: told.title },
  commonLabels: labelsOf(told),
  commonAnnotations: { summary: told.title },
  externalURL: 'https://alerts.example.com',
  groupKey: `{}:{alertname="${told.title}"}`,
  truncatedAlerts: 0,
})

const labelsOf = (told: SampleAlert) => ({
  alertname: told.title,
  severity: told.severity,
  service: told.service,
  env: 'production',
})
