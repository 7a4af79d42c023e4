import type { RunnerEvent } from './messages.ts'

/**
 * What each text of a report is. `text` is for people to read: secrets in it are masked, and what would not be seen is
 * written out. `name` is read by people and compared by programs: it is never masked, since what was masked no longer
 * equals anything, but what would not be seen is written out. `fact` is compared or acted upon and stays as it is: a rule
 * on `src/Authorization/**` has to match, whatever is a secret.
 */
type Kind = 'text' | 'name' | 'fact'

const isolation = {
  'isolation.backend': 'name',
  'isolation.version': 'name',
  'isolation.image': 'name',
  'isolation.keyring': 'fact',
  'isolation.limits': 'fact',
  'isolation.user': 'fact',
} as const
const agent = {
  'agent.name': 'fact',
  'agent.via': 'fact',
  'agent.version': 'name',
  'agent.access': 'fact',
} as const
const spec = {
  'spec.files': 'fact',
  'spec.folder': 'fact',
  'spec.command': 'fact',
  'spec.repository': 'fact',
} as const
const work = { 'work.base': 'fact', 'work.head': 'fact', 'work.bundle': 'fact' } as const
const othersWork = {
  'others[].name': 'fact',
  'others[].work.base': 'fact',
  'others[].work.head': 'fact',
  'others[].work.bundle': 'fact',
} as const
const gates = { 'gates[].name': 'name', 'gates[].result': 'fact', 'gates[].summary': 'text' } as const

/** Every text of every event by its place; a test holds the table to the schema. */
export const eventTexts: Record<RunnerEvent['type'], Record<string, Kind>> = {
  progress: { message: 'text' },
  begun: { base: 'fact', ...isolation, ...agent, 'others[].name': 'fact', 'others[].base': 'fact' },
  session_known: { agentSession: 'fact' },
  usage: { currency: 'fact', source: 'fact', provider: 'name', model: 'name', priceTable: 'name' },
  plan_ready: { plan: 'text', 'paths[]': 'fact', risk: 'fact' },
  scope_change_proposed: { plan: 'text', change: 'text' },
  spec_pinned: { ...spec, summary: 'text' },
  spec_failed: { error: 'text' },
  question_asked: {
    question: 'text',
    context: 'text',
    'options[].id': 'fact',
    'options[].label': 'text',
    recommendation: 'fact',
    ...work,
    ...othersWork,
  },
  change_ready: {
    'change.paths[]': 'fact',
    ...work,
    diff: 'fact',
    'findings[]': 'text',
    ...othersWork,
    'others[].change.paths[]': 'fact',
    'others[].diff': 'fact',
    'others[].findings[]': 'text',
  },
  gates_ran: {
    ...gates,
    'evidence.commit': 'fact',
    'evidence.criteria[].id': 'fact',
    'evidence.criteria[].result': 'fact',
    'evidence.criteria[].proof': 'text',
    'evidence.changes.paths[]': 'fact',
    'evidence.demonstration': 'text',
    'evidence.secondReview.result': 'fact',
    'evidence.secondReview.agent': 'fact',
    'evidence.secondReview.model': 'name',
    'evidence.secondReview.says': 'text',
    'evidence.secondReview.findings[].severity': 'fact',
    'evidence.secondReview.findings[].file': 'name',
    'evidence.secondReview.findings[].says': 'text',
    envelope: 'fact',
    'statements[]': 'fact',
  },
  finished: { 'branch.name': 'fact', 'branch.head': 'fact' },
  main_checked: { state: 'fact', findings: 'text', ...gates },
  surveyed: {
    commit: 'fact',
    'proposals[].kind': 'fact',
    'proposals[].fingerprint': 'fact',
    'proposals[].title': 'text',
    'proposals[].body': 'text',
    'proposals[].story.title': 'text',
    'proposals[].story.description': 'text',
    'proposals[].story.acceptanceCriteria[]': 'text',
    'proposals[].story.demonstrate': 'text',
    'proposals[].story.size': 'fact',
    'proposals[].story.complexity': 'fact',
    'touched[]': 'name',
  },
  failed: { failureClass: 'fact', error: 'text', waitsFor: 'fact' },
}

/**
 * The same event with its texts changed, each according to what it is. What is not in the table, as in an event that
 * this side does not know, is taken for text.
 */
export function withTexts<E extends object>(event: E, change: (text: string, kind: Kind) => string): E {
  const { type = '' } = event as { type?: string }
  const kinds: Record<string, Kind> = Object.hasOwn(eventTexts, type)
    ? eventTexts[type as RunnerEvent['type']]
    : {}
  const within = (value: unknown, place: string): unknown => {
    if (typeof value === 'string') return change(value, kinds[place] ?? (place === 'type' ? 'fact' : 'text'))
    if (Array.isArray(value)) return value.map((item) => within(item, `${place}[]`))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, within(item, place === '' ? key : `${place}.${key}`)]),
    )
  }
  return within(event, '') as E
}
