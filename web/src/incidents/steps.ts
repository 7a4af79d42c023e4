import type { IncidentPage } from '@signalbox/contract/app/incidents.ts'
import {
  Bell,
  CheckCircle2,
  CircleHelp,
  type LucideIcon,
  PencilLine,
  Search,
  Siren,
  User,
  Wrench,
} from 'lucide-react'

export const stepKinds = [
  'alerts',
  'investigation',
  'told',
  'decisions',
  'fixes',
  'source',
  'people',
  'notes',
] as const
export type StepKind = (typeof stepKinds)[number]

export const stepWords: Record<StepKind, { name: string; icon: LucideIcon }> = {
  alerts: { name: 'Alerts', icon: Siren },
  investigation: { name: 'Investigation', icon: Search },
  told: { name: 'Notifications', icon: Bell },
  decisions: { name: 'Decisions', icon: CircleHelp },
  fixes: { name: 'Fixes', icon: Wrench },
  source: { name: 'Source updates', icon: CheckCircle2 },
  people: { name: 'People', icon: User },
  notes: { name: 'Notes', icon: PencilLine },
}

/** What each step is about, by its type. A type that is not here is shown among the fixes. */
const kinds: Record<string, StepKind> = {
  opened: 'alerts',
  joined: 'alerts',
  severity: 'alerts',
  recovered: 'alerts',
  resolved: 'alerts',
  investigating: 'investigation',
  looked: 'investigation',
  found: 'investigation',
  mailed: 'told',
  posted: 'told',
  asked: 'decisions',
  answered: 'decisions',
  nothing_done: 'decisions',
  withdrawn: 'decisions',
  merge_kept: 'decisions',
  left: 'decisions',
  declined_before: 'decisions',
  alert_updated: 'source',
  alert_update_refused: 'source',
  acknowledged: 'people',
  taken: 'people',
  severity_changed: 'people',
  resolved_by_hand: 'people',
  note: 'notes',
}

export interface Step {
  id: string
  at: string
  kind: StepKind
  text: string
  by: string | null
  decision: string | null
  story: string | null
}

/** Everything that happened, oldest first: what the incident recorded, and how decisions about it were answered. */
export function stepsOf({ timeline, decisions }: Pick<IncidentPage, 'timeline' | 'decisions'>): Step[] {
  const recorded = timeline.map(({ type, ...step }, index) => ({
    ...step,
    id: `${index} ${type}`,
    kind: kinds[type] ?? 'fixes',
  }))
  const answered = decisions.flatMap(({ key, answer, by, resolvedAt }) =>
    resolvedAt && answer
      ? [
          {
            id: key,
            at: resolvedAt,
            kind: 'decisions' as const,
            text: `${key} answered: ${answer}`,
            by,
            decision: key,
            story: null,
          },
        ]
      : [],
  )
  return [...recorded, ...answered].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at))
}

export const eventWords: Record<string, string> = {
  opened: 'when it opened',
  found: 'investigation result',
  updated: 'what someone did',
  resolved: 'when it was resolved',
}
