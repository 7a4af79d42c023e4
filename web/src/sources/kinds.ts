import type { Sender } from '@signalbox/contract/app/senders.ts'
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
  Plug,
  Radar,
  Siren,
  SquareTerminal,
  Timer,
} from 'lucide-react'
import { useRead } from '../api/queries.ts'

/** A sender's settings apart from its name, as the server takes them. */
export type SourceSettings = Record<string, unknown>

/** What people are told about a kind of source. */
export type Kind = Omit<Sender, 'kind'> & { kind: SourceKind }

const uptime: Kind = {
  kind: 'uptime',
  name: 'Uptime check',
  inSentence: 'the uptime check',
  sourceName: 'Uptime check',
  about: 'Signalbox checks a URL for you.',
  proof: 'Signalbox sends the requests, so there’s no secret.',
  ownSecret: null,
  credentials: null,
  settings: [],
  tested: null,
}

/** Every kind of source, in the order of the cards: the server knows the senders, and checks are ours. */
export function useKinds() {
  const senders = useRead('senders.list', {})
  const kinds: Kind[] | undefined = senders.data && [...senders.data.data, uptime]
  return { ...senders, data: kinds }
}

const icons: Partial<Record<SourceKind, LucideIcon>> = {
  generic: SquareTerminal,
  grafana: BarChart3,
  pagerduty: PhoneCall,
  sentry: Bug,
  alertmanager: Flame,
  datadog: Dog,
  newrelic: Activity,
  opsgenie: Siren,
  cloudwatch: CloudAlert,
  azure_monitor: Cloud,
  statuspage: Radar,
  uptime: Timer,
}

export const iconOf = (kind: SourceKind): LucideIcon => icons[kind] ?? Plug
