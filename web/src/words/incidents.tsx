import type { Severity } from '@signalbox/contract/signal.ts'
import {
  ArrowDown,
  CheckCircle2,
  CircleAlert,
  FlaskConical,
  Info,
  OctagonAlert,
  Siren,
  TriangleAlert,
} from 'lucide-react'
import { Badge, type Look } from '../ui/badge.tsx'

/** From worst to least, with the words of the settings. */
export const severityWords: Record<Severity, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  info: 'Info',
}

const looks: Record<Severity, Omit<Look, 'word'>> = {
  critical: { tone: 'danger', icon: OctagonAlert },
  high: { tone: 'warn', icon: TriangleAlert },
  medium: { tone: 'info', icon: CircleAlert },
  low: { tone: 'neutral', icon: ArrowDown },
  info: { tone: 'neutral', icon: Info },
}

export const SeverityBadge = ({ severity }: { severity: Severity }) => (
  <Badge {...looks[severity]} word={severityWords[severity]} />
)

/** States of incidents and of alerts: the word, never colour alone. */
const states = {
  open: { word: 'Open', tone: 'danger', icon: Siren },
  resolved: { word: 'Resolved', tone: 'ok', icon: CheckCircle2 },
  firing: { word: 'Firing', tone: 'warn', icon: Siren },
  recovered: { word: 'Recovered', tone: 'ok', icon: CheckCircle2 },
  test: { word: 'Test', tone: 'info', icon: FlaskConical },
} as const

export const IncidentStatus = ({ status }: { status: 'open' | 'resolved' }) => <Badge {...states[status]} />

/** A test is neither firing nor recovered to anyone: nothing happened. */
export const AlertStatus = ({ status, isTest }: { status: 'firing' | 'resolved'; isTest: boolean }) => (
  <Badge {...(isTest ? states.test : states[status === 'firing' ? 'firing' : 'recovered'])} />
)
