import type { SourceKind } from '@signalbox/contract/source.ts'
import {
  Activity,
  BarChart3,
  Bug,
  Cloud,
  CloudAlert,
  Dog,
  Flame,
  type LucideIcon,
  PhoneCall,
  Radar,
  Siren,
  SquareTerminal,
  Timer,
} from 'lucide-react'

/** What is said of a sender besides its name, as the server takes it. */
export type SourceSettings = Record<string, unknown>

interface Kind {
  name: string
  /** Within a sentence, where that differs. */
  inSentence?: string
  icon: LucideIcon
  /** What it is good for, on its card. */
  about: string
  /** How it shows that it knows the secret. */
  proof: string
  /** The sender makes the secret, under this name. */
  ownSecret?: string
  /** Alerts can be acknowledged and resolved there, with this as credentials. */
  credentials?: string
}

const token =
  'The secret travels with every request, as Authorization: Bearer SECRET or X-Service-Token: SECRET. Where both are sent, both have to be right.'
const key =
  'The secret is part of the address, as ?key=SECRET, because the tool can be given an address and nothing else.'

/** Every kind of source, in the order of the cards. */
export const kindWords: Record<SourceKind, Kind> = {
  generic: {
    name: 'Your own scripts',
    inSentence: 'your own scripts',
    icon: SquareTerminal,
    about: 'Anything that can send a signed POST.',
    proof:
      'Each request is signed: X-Service-Signature is the HMAC-SHA256 of the exact body, keyed with the secret. With X-Service-Timestamp the time is signed too, and nobody can send the request again later.',
  },
  grafana: {
    name: 'Grafana',
    icon: BarChart3,
    about: 'Alerts of a webhook contact point.',
    proof:
      'The contact point signs each request with the secret (X-Grafana-Alerting-Signature, unless it names another header), or sends it as Authorization: Bearer SECRET.',
  },
  pagerduty: {
    name: 'PagerDuty',
    icon: PhoneCall,
    about: 'Incidents of a webhook subscription, version 3.',
    proof:
      'PagerDuty signs each request with the signing secret of the subscription (X-PagerDuty-Signature).',
    ownSecret: 'Signing secret',
    credentials: 'API key',
  },
  sentry: {
    name: 'Sentry',
    icon: Bug,
    about: 'Issues and alert rules of an internal integration.',
    proof: 'Sentry signs each request with the client secret of the integration (Sentry-Hook-Signature).',
    ownSecret: 'Client secret',
  },
  alertmanager: {
    name: 'Prometheus Alertmanager',
    icon: Flame,
    about: 'Groups of a webhook receiver.',
    proof: token,
  },
  datadog: { name: 'Datadog', icon: Dog, about: 'Monitors that notify a webhook.', proof: token },
  newrelic: { name: 'New Relic', icon: Activity, about: 'Issues of a workflow.', proof: token },
  opsgenie: {
    name: 'Opsgenie',
    icon: Siren,
    about: 'Alerts of an outgoing webhook; also Jira Service Management.',
    proof: token,
    credentials: 'Key of an API integration',
  },
  cloudwatch: {
    name: 'CloudWatch alarms',
    inSentence: 'CloudWatch',
    icon: CloudAlert,
    about: 'Alarms that notify an SNS topic.',
    proof:
      'The secret is part of the address, as ?key=SECRET, and every message has to carry the signature of Amazon SNS besides.',
  },
  azure_monitor: { name: 'Azure Monitor', icon: Cloud, about: 'Alerts of an action group.', proof: key },
  statuspage: {
    name: 'Statuspage',
    icon: Radar,
    about: 'Incidents of a provider you depend on.',
    proof: key,
  },
  uptime: {
    name: 'Uptime check',
    inSentence: 'the uptime check',
    icon: Timer,
    about: 'Signalbox looks at an address itself.',
    proof: 'Nothing arrives from outside: Signalbox asks the address itself, so there is no secret.',
  },
}

export const inSentence = (kind: SourceKind) => kindWords[kind].inSentence ?? kindWords[kind].name

export const kindList = Object.keys(kindWords) as SourceKind[]
