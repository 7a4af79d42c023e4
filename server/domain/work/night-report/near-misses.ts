import type { Sentence, Target } from '@signalbox/contract/app/night-report.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Details } from '@signalbox/contract/audit-details.ts'
import { isAtLeast, type Role } from '@signalbox/contract/roles.ts'
import { detailsOf } from '../../record/audit/details.ts'
import type { Storm } from '../../record/audit/read-span.ts'
import { counted, runName, section, sentence, type Tone } from './sentence.ts'

/** A way in which something nearly went wrong, and how often, of one thing. */
interface Trouble {
  text: (times: number) => string
  target: Target
  tone: Tone
  /** The least role that may see it. */
  least: Role
  /** How it went on: said behind the sentence. */
  mended?: string
}

/** Fewer are people who mistyped. */
const manySignIns = 5

/** What nearly went wrong, from entries in the order of time, as far as that role may see it. */
export function nearMissesFrom(entries: readonly AuditEntry[], storms: readonly Storm[], role: Role) {
  const found = new Map<string, Trouble & { times: number; at: string }>()
  const note = (entry: AuditEntry, name: string, trouble: Trouble) => {
    const key = `${name} ${trouble.target.type} ${trouble.target.id}`
    const before = found.get(key)
    found.set(key, { ...trouble, times: (before?.times ?? 0) + 1, at: entry.timestamp })
  }
  const mend = (type: Target['type'], id: string, how: string) => {
    for (const trouble of found.values())
      if (trouble.target.type === type && trouble.target.id === id) trouble.mended = how
  }
  for (const entry of entries) {
    for (const [name, trouble] of troublesOf(entry)) note(entry, name, trouble)
    const mended = mendedBy(entry)
    if (mended) mend(...mended)
  }
  for (const [key, { times }] of found)
    if (key.startsWith('sign_in ') && times < manySignIns) found.delete(key)
  const troubles = [...found.values()]
    .filter(({ least }) => isAtLeast(role, least))
    .toSorted((a, b) => weight(a) - weight(b))
    .map(({ text, times, target, tone, at, mended }) =>
      sentence(`${text(times)}${mended ? `. ${mended}` : ''}`, target, mended ? 'neutral' : tone, at),
    )
  return section([...troubles, ...storms.map(ofStorm)], (left) =>
    isAtLeast(role, 'admin')
      ? sentence(`${counted(left, 'more event')} in the audit log`, { type: 'audit', id: '' })
      : sentence(`${counted(left, 'more event')} in Runs`, { type: 'runs', id: '' }),
  )
}

/** What is still so comes before what was mended. */
const weight = ({ tone, mended }: Trouble) => (mended ? 2 : tone === 'danger' ? 0 : 1)

const times = (count: number) => (count === 1 ? '' : count === 2 ? ' twice' : ` ${count} times`)

function* troublesOf(entry: AuditEntry): Generator<[name: string, Trouble]> {
  switch (entry.event) {
    case 'run_state_changed':
      yield* ofRun(entry)
      break
    case 'pull_request_merged':
      if (entry.runKey && entry.result === 'failure')
        yield ['mismatch', run(entry, () => `Merged, but not as verified: ${runName(entry)}`, 'danger')]
      break
    case 'decision_raised':
    case 'decision_expired':
      yield* ofDecision(entry)
      break
    case 'policy_evaluated':
      yield* ofPolicy(entry)
      break
    case 'incident_opened':
      yield ['incident', incident(entry)]
      break
    default:
      yield* ofTools(entry)
  }
}

function* ofRun(entry: AuditEntry): Generator<[string, Trouble]> {
  const changed = detailsOf(entry, 'run_state_changed')
  if (!changed) return
  const name = runName(entry)
  const isAgain = changed.status === 'queued'
  switch (changed.cause) {
    case 'gates_ran':
      if (isAgain)
        yield ['gate', run(entry, (n) => `A gate failed${times(n)} and the change was reworked: ${name}`)]
      break
    case 'failed':
      if (isAgain) yield ['retry', run(entry, (n) => `Retried${times(n)} after a temporary error: ${name}`)]
      break
    case 'lease_lost':
      yield ['lease', run(entry, (n) => `The runner stopped responding${times(n)}: ${name}`)]
      break
    case 'overran':
      yield ['overran', run(entry, () => `Took too long and was stopped: ${name}`, 'danger')]
      break
    case 'merge_refused':
      yield ['merge', run(entry, (n) => `The merge was held${times(n)}: ${name}`)]
      break
    case 'main_red':
      yield ['main', run(entry, () => `The main branch was red after a merge: ${name}`, 'danger')]
      break
    case 'revert_opened':
      yield ['revert', run(entry, () => `A merge was reverted: ${name}`, 'danger')]
      break
  }
}

type Kind = Details['decision_raised']['kind']

/** Of the others it is usual that a person is asked. */
const raised: Partial<Record<Kind, string>> = {
  budget_stop: 'Stopped at its budget',
  policy_exception: 'Needed something that the policy doesn’t allow',
  diff_guard: 'Changed its acceptance spec',
  repeated_gate_failure: 'A gate kept failing',
  main_red_incident: 'The main branch is red, and merges are held',
  revert_approval: 'A merge may have to be reverted',
}

function* ofDecision(entry: AuditEntry): Generator<[string, Trouble]> {
  const { id, name } = entry.entity
  const target = { type: 'decision', id } as const
  const title = name ? `${name} (${id})` : id
  if (entry.event === 'decision_expired') {
    const text = () => `No one answered in time: ${title}`
    yield ['expired', { text, target, tone: 'danger', least: 'member' }]
    return
  }
  const details = detailsOf(entry, 'decision_raised')
  const word = details && raised[details.kind]
  if (word) yield ['raised', { text: () => `${word}: ${title}`, target, tone: 'warn', least: 'member' }]
}

type Held = NonNullable<Extract<Details['policy_evaluated'], { because?: unknown }>['because']>[number]

/** Of the others, how large a change is and what the policy wants asked, it is usual. */
const heldBecause: Partial<Record<Held, string>> = {
  gates: 'not every gate passed',
  main: 'the main branch wasn’t green',
  unsigned: 'its evidence wasn’t signed',
  findings: 'the change had findings',
  spec: 'the acceptance spec was affected',
  review: 'the second review didn’t clear it',
}

function* ofPolicy(entry: AuditEntry): Generator<[string, Trouble]> {
  const details = detailsOf(entry, 'policy_evaluated')
  if (!details || !entry.runKey) return
  if (details.question === 'access' && entry.result === 'denied') {
    const text = (n: number) => `The agent was denied access to a path${times(n)} (${entry.runKey})`
    yield ['access', run(entry, text)]
  }
  if (!('because' in details) || !details.because) return
  const reasons = details.because.flatMap((reason) => heldBecause[reason] ?? [])
  if (reasons.length > 0)
    yield [
      'held',
      run(entry, () => `A merge waited for a person because ${reasons.join(' and ')} (${entry.runKey})`),
    ]
}

function incident(entry: AuditEntry): Trouble {
  const { id, name } = entry.entity
  const details = detailsOf(entry, 'incident_opened')
  const text = () => `Incident ${id}${name ? `: ${name}` : ''}${details ? ` (${details.severity})` : ''}`
  return { text, target: { type: 'incident', id }, tone: 'danger', least: 'member' }
}

/** Of connections, sources, runners, webhooks and sign-ins, which owners and admins look after. */
function* ofTools(entry: AuditEntry): Generator<[string, Trouble]> {
  const { id, name } = entry.entity
  const connection = detailsOf(entry, 'connection_changed')
  if (connection?.change === 'refused') {
    const text = (n: number) => `${name ?? 'A tool'} rejected Signalbox${times(n)}: ${connection.reason}`
    yield ['refused', { text, target: { type: 'connection', id }, tone: 'danger', least: 'admin' }]
  }
  const source = detailsOf(entry, 'signal_source_changed')
  if (source?.change === 'refused') {
    const text = (n: number) =>
      `Alerts of ${name ?? 'a source'} could not be updated${times(n)}: ${source.reason}`
    yield ['refused', { text, target: { type: 'source', id }, tone: 'danger', least: 'admin' }]
  }
  if (detailsOf(entry, 'runner_changed')?.change === 'refused') {
    const text = (n: number) => `Another machine tried to connect as runner ${name ?? id}${times(n)}`
    yield ['runner', { text, target: { type: 'runners', id: '' }, tone: 'danger', least: 'admin' }]
  }
  if (detailsOf(entry, 'webhook_endpoint_changed')?.change === 'turned off') {
    const text = () => `Webhook endpoint ${name ?? ''} was turned off because it kept failing`
    yield ['webhook', { text, target: { type: 'webhook', id }, tone: 'danger', least: 'admin' }]
  }
  if (entry.event === 'sign_in_failed') {
    const text = (n: number) => `${counted(n, 'sign-in')} failed`
    yield ['sign_in', { text, target: { type: 'audit', id: entry.event }, tone: 'warn', least: 'admin' }]
  }
}

/** What an entry says of troubles before it: whether that thing is well again. */
function mendedBy(entry: AuditEntry): [type: Target['type'], id: string, how: string] | null {
  const { runKey, entity } = entry
  if (entry.event === 'incident_resolved') return ['incident', entity.id, 'It’s resolved']
  if (entry.event === 'decision_resolved') return ['decision', entity.id, 'It was answered']
  if (detailsOf(entry, 'connection_changed')?.change === 'mended')
    return ['connection', entity.id, 'It works again']
  if (detailsOf(entry, 'signal_source_changed')?.change === 'mended')
    return ['source', entity.id, 'It works again']
  if (runKey && detailsOf(entry, 'run_state_changed')?.status === 'succeeded')
    return ['run', runKey, 'It finished']
  return null
}

const run = (entry: AuditEntry, text: Trouble['text'], tone: Tone = 'warn'): Trouble => ({
  text,
  target: { type: 'run', id: entry.runKey ?? entry.entity.id },
  tone,
  least: 'member',
})

const ofStorm = ({ name, deliveries, at }: Storm): Sentence =>
  sentence(
    `${name ?? 'A source'} sent ${counted(deliveries, 'delivery', 'deliveries')} in a storm`,
    { type: 'incidents', id: '' },
    'warn',
    at.toISOString(),
  )
