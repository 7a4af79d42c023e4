import type { Severity } from '@signalbox/contract/signal.ts'
import {
  ArrowDown,
  CheckCircle2,
  CircleAlert,
  Info,
  type LucideIcon,
  OctagonAlert,
  Siren,
  TriangleAlert,
} from 'lucide-react'
import { Badge, type Tone } from '../ui/badge.tsx'

/** From worst to least, with the words of the settings. */
export const severityWords: Record<Severity, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Info',
}

const looks: Record<Severity, { tone: Tone; icon: LucideIcon }> = {
  critical: { tone: 'danger', icon: OctagonAlert },
  high: { tone: 'warn', icon: TriangleAlert },
  medium: { tone: 'info', icon: CircleAlert },
  low: { tone: 'neutral', icon: ArrowDown },
  info: { tone: 'neutral', icon: Info },
}

export const SeverityBadge = ({ severity }: { severity: Severity }) => (
  <Badge {...looks[severity]}>{severityWords[severity]}</Badge>
)

/** States of incidents and of alerts: the word, never colour alone. */
const states = {
  open: { words: 'Open', tone: 'danger', icon: Siren },
  resolved: { words: 'Resolved', tone: 'ok', icon: CheckCircle2 },
  firing: { words: 'Firing', tone: 'warn', icon: Siren },
  recovered: { words: 'Recovered', tone: 'ok', icon: CheckCircle2 },
} as const

function State({ of }: { of: keyof typeof states }) {
  const { words, ...look } = states[of]
  return <Badge {...look}>{words}</Badge>
}

export const IncidentStatus = ({ status }: { status: 'open' | 'resolved' }) => <State of={status} />

export const AlertStatus = ({ status }: { status: 'firing' | 'resolved' }) => (
  <State of={status === 'firing' ? 'firing' : 'recovered'} />
)
