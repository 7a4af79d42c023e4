import { createHmac } from 'node:crypto'
import { type SenderKind, senderKinds } from '../contract/signal.ts'

/** Alerting tools as the intake meets them: how each proves itself, and what each writes. */

/** One alert, in the words of its sender. */
export interface Alert {
  title: string
  /** Tells alerts apart; the same in the firing and the resolved delivery. */
  id: string
  status: 'firing' | 'resolved'
  /** The tool's own word for how bad it is, where it keeps that word. */
  word?: string
}

export interface Sent {
  body: unknown
  headers?: Record<string, string>
}

const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

export const unixSeconds = (secondsFromNow = 0) => String(Math.floor(Date.now() / 1000) + secondsFromNow)

export interface Proof {
  headers?: Record<string, string>
  query?: Record<string, string>
}

/** Every way to prove a delivery that any sender has. */
export const proofs = {
  'X-Service-Signature over the body': (secret: string, body: string): Proof => ({
    headers: { 'x-service-signature': `sha256=${hmac(secret, body)}` },
  }),
  'X-Service-Signature with X-Service-Timestamp': (secret: string, body: string): Proof =>
    timed(secret, body, unixSeconds()),
  'X-Grafana-Alerting-Signature': (secret: string, body: string): Proof => ({
    headers: { 'x-grafana-alerting-signature': hmac(secret, body) },
  }),
  'X-PagerDuty-Signature': (secret: string, body: string): Proof => ({
    headers: { 'x-pagerduty-signature': `v1=${hmac(secret, body)}` },
  }),
  'Sentry-Hook-Signature': (secret: string, body: string): Proof => ({
    headers: { 'sentry-hook-signature': hmac(secret, body) },
  }),
  'Authorization: Bearer': (secret: string): Proof => ({ headers: { authorization: `Bearer ${secret}` } }),
  'X-Service-Token': (secret: string): Proof => ({ headers: { 'x-service-token': secret } }),
  '?key=': (secret: string): Proof => ({ query: { key: secret } }),
}
export type ProofName = keyof typeof proofs

export const timed = (secret: string, body: string, timestamp: string): Proof => ({
  headers: {
    'x-service-timestamp': timestamp,
    'x-service-signature': `sha256=${hmac(secret, `${timestamp}.${body}`)}`,
  },
})

/** What the specification lets each sender prove itself with. The cloud alarm service needs more than its key. */
export const accepted: Record<SenderKind, ProofName[]> = {
  generic: ['X-Service-Signature over the body', 'X-Service-Signature with X-Service-Timestamp'],
  grafana: ['X-Grafana-Alerting-Signature', 'Authorization: Bearer'],
  pagerduty: ['X-PagerDuty-Signature'],
  sentry: ['Sentry-Hook-Signature'],
  alertmanager: ['Authorization: Bearer', 'X-Service-Token'],
  datadog: ['Authorization: Bearer', 'X-Service-Token'],
  newrelic: ['Authorization: Bearer', 'X-Service-Token'],
  opsgenie: ['Authorization: Bearer', 'X-Service-Token'],
  cloudwatch: [],
  azure_monitor: ['?key='],
  statuspage: ['?key='],
}

/** The senders whose deliveries can be made here: only Amazon can sign those of the cloud alarm service. */
export const playable = senderKinds.filter((kind) => kind !== 'cloudwatch')

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
const began = () => ago(60)
const given = (name: string, word: string | undefined) => (word === undefined ? {} : { [name]: word })

const grouped = ({ title, id, status, word }: Alert) => ({
  status,
  alerts: [
    {
      status,
      labels: { alertname: title, ...given('severity', word) },
      annotations: { summary: title },
      startsAt: began(),
      endsAt: status === 'resolved' ? ago(0) : '0001-01-01T00:00:00Z',
      fingerprint: id,
    },
  ],
  externalURL: 'https://alerts.example.com',
})

/** A number of its own for each text, where a tool has numbers for ids. */
const numberOf = (id: string) => Number.parseInt(hmac('number', id).slice(0, 8), 16)

export const bodies: Record<SenderKind, (alert: Alert) => Sent> = {
  generic: ({ title, id, status, word }) => ({
    body: { title, status, fingerprint: id, ...given('severity', word) },
  }),
  grafana: (alert) => ({ body: { ...grouped(alert), version: '1' } }),
  alertmanager: (alert) => ({ body: { ...grouped(alert), version: '4' } }),
  pagerduty: ({ title, id, status, word }) => ({
    body: {
      event: {
        id: `${id} ${status}`,
        event_type: status === 'firing' ? 'incident.triggered' : 'incident.resolved',
        occurred_at: ago(0),
        data: {
          id,
          type: 'incident',
          status: status === 'firing' ? 'triggered' : 'resolved',
          title,
          created_at: began(),
          priority: word === undefined ? null : { summary: word },
          urgency: 'high',
        },
      },
    },
  }),
  sentry: ({ title, id, status, word }) => ({
    body: {
      action: status === 'firing' ? 'created' : 'resolved',
      data: { issue: { id: numberOf(id), title, level: word, firstSeen: began(), lastSeen: ago(30) } },
    },
    headers: { 'sentry-hook-resource': 'issue' },
  }),
  datadog: ({ title, id, status, word }) => ({
    body: {
      id: `${id} ${status}`,
      title,
      aggreg_key: id,
      alert_transition: status === 'firing' ? 'Triggered' : 'Recovered',
      date: String(Date.now()),
      ...given('alert_priority', word),
    },
  }),
  newrelic: ({ title, id, status, word }) => ({
    body: {
      id,
      title,
      state: status === 'firing' ? 'ACTIVATED' : 'CLOSED',
      trigger: 'STATE_CHANGE',
      createdAt: Date.now() - 60_000,
      updatedAt: Date.now(),
      ...given('priority', word),
    },
  }),
  opsgenie: ({ title, id, status, word }) => ({
    body: {
      action: status === 'firing' ? 'Create' : 'Close',
      alert: {
        alertId: id,
        message: title,
        createdAt: Date.now() - 60_000,
        updatedAt: Date.now(),
        ...given('priority', word),
      },
    },
  }),
  cloudwatch: ({ title, id, status, word = '' }) => ({
    body: {
      Type: 'Notification',
      MessageId: `${id} ${status}`,
      TopicArn: 'arn:aws:sns:eu-central-1:123456789012:alarms',
      Message: JSON.stringify({
        AlarmName: title,
        AlarmDescription: `${word} The queue is long.`,
        NewStateValue: status === 'firing' ? 'ALARM' : 'OK',
        StateChangeTime: ago(0).replace('Z', '+0000'),
        AlarmArn: `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${id}`,
      }),
      Timestamp: ago(0),
    },
  }),
  azure_monitor: ({ title, id, status, word }) => ({
    body: {
      schemaId: 'azureMonitorCommonAlertSchema',
      data: {
        essentials: {
          alertId: `/subscriptions/s/providers/Microsoft.AlertsManagement/alerts/${id}`,
          alertRule: title,
          monitorCondition: status === 'firing' ? 'Fired' : 'Resolved',
          firedDateTime: began(),
          ...(status === 'resolved' ? { resolvedDateTime: ago(0) } : {}),
          ...given('severity', word),
        },
      },
    },
  }),
  statuspage: ({ title, id, status, word }) => ({
    body: {
      incident: {
        id,
        name: title,
        status: status === 'firing' ? 'investigating' : 'resolved',
        created_at: began(),
        updated_at: ago(0),
        resolved_at: status === 'resolved' ? ago(0) : null,
        incident_updates: [{ id: `${id} ${status}`, body: title }],
        ...given('impact', word),
      },
    },
  }),
}

/** A status page reports on parts of the page, too, in words of their own. */
export const component = ({ title, id, status, word }: Alert): Sent => ({
  body: {
    component: { id, name: title },
    component_update: {
      id: `${id} ${status}`,
      new_status: status === 'firing' ? word : 'operational',
      created_at: ago(0),
    },
  },
})

/** What tools send when someone presses their test button. */
export const trials: Partial<Record<SenderKind, Sent>> = {
  grafana: {
    body: {
      status: 'firing',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'TestAlert', instance: 'Grafana', severity: 'critical' },
          annotations: { summary: 'Notification test' },
          fingerprint: '57c6d9296de2ad39',
        },
      ],
    },
  },
  pagerduty: {
    body: { event: { id: 'a trial', event_type: 'pagey.ping', data: { type: 'ping', message: 'Hello' } } },
  },
  sentry: {
    body: {
      action: 'triggered',
      data: { event: { issue_id: '1', title: 'This is an example Python exception', level: 'fatal' } },
    },
    headers: { 'sentry-hook-resource': 'event_alert' },
  },
  newrelic: {
    body: { current_state: 'open', incident_id: 0, severity: 'CRITICAL', details: 'I am a test Violation' },
  },
  azure_monitor: {
    body: {
      schemaId: 'azureMonitorCommonAlertSchema',
      data: {
        essentials: {
          alertId: '/subscriptions/s/alerts/trial',
          alertRule: 'test-metricAlertRule',
          severity: 'Sev4',
          monitorCondition: 'Fired',
          firedDateTime: '2026-01-01T00:00:00Z',
        },
      },
    },
  },
}
