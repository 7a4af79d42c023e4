import type { Entry } from '../../server/domain/record/audit/change.ts'
import { intake, service } from '../actors.ts'
import type { DemoActor, DemoAttempt, DemoMoment } from '../script.ts'

/** The moments that happen again and again in the demo's past. */

type Told = Entry<'signal_received'>['details']['told'][number]

interface Source {
  kind: Entry<'signal_received'>['details']['kind']
  id: string
  name: string
}

export const mergeAllowed = (
  minutesAgo: number,
  run: string,
  why: { rule: 'auto' | 'auto_within_limits'; lines: number; limit?: number },
): DemoMoment => ({
  minutesAgo,
  actor: service,
  event: 'policy_evaluated',
  run,
  details: { question: 'merge', ...why },
})

export const writeDenied = (
  minutesAgo: number,
  run: string,
  stage: DemoAttempt['stage'],
  path: string,
  rule: string,
): DemoMoment => ({
  minutesAgo,
  actor: service,
  event: 'policy_evaluated',
  result: 'denied',
  run,
  details: { question: 'access', path, rule, access: 'write', stage },
})

export const issueMoved = (
  minutesAgo: number,
  [story, issue]: [story: string, issue: string],
  run: string,
  [before, after]: [before: string, after: string],
): DemoMoment => ({
  minutesAgo,
  actor: service,
  event: 'tracker_written',
  run,
  story,
  details: { issue, wrote: 'status', before, after },
})

export const issueCommented = (
  minutesAgo: number,
  [story, issue]: [story: string, issue: string],
  run: string,
  summary: string,
): DemoMoment => ({
  minutesAgo,
  actor: service,
  event: 'tracker_written',
  run,
  story,
  details: { issue, wrote: 'comment', summary },
})

export const storyWritten = (
  minutesAgo: number,
  [story, trackerKey]: [story: string, issue: string],
  actor: DemoActor,
): DemoMoment => ({
  minutesAgo,
  actor,
  event: 'story_written',
  story,
  details: { requirement: null, trackerKey, changes: [] },
})

export const serviceCreated = (minutesAgo: number, actor: DemoActor, name: string): DemoMoment => ({
  minutesAgo,
  actor,
  event: 'service_changed',
  entity: { type: 'service', id: name, name },
  details: {
    change: 'created',
    settings: {
      observeOnly: false,
      startFixes: false,
      updateAlerts: false,
      lowestSeverity: 'high',
      hours: null,
      notify: [],
      places: null,
    },
  },
})

export const sourceAdded = (
  minutesAgo: number,
  actor: DemoActor,
  { kind, id, name }: Source,
  services: string[],
): DemoMoment => ({
  minutesAgo,
  actor,
  event: 'signal_source_changed',
  entity: { type: 'signal_source', id, name },
  details: { change: 'added', kind, services },
})

export const signalReceived = (
  minutesAgo: number,
  { kind, id, name }: Source,
  delivery: string,
  status: Told['status'],
  { title, severity }: Pick<Told, 'title' | 'severity'>,
): DemoMoment => ({
  minutesAgo,
  actor: intake,
  event: 'signal_received',
  entity: { type: 'signal_source', id, name },
  details: { kind, delivery, alerts: 1, told: [{ title, status, severity }] },
})
