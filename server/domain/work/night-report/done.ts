import type { Sentence } from '@signalbox/contract/app/night-report.ts'
import type { AuditEntry } from '@signalbox/contract/audit.ts'
import type { Details } from '@signalbox/contract/audit-details.ts'
import { detailsOf } from '../../record/audit/details.ts'
import { counted, runName, section, sentence, type Tone } from './sentence.ts'

type RunChange = Details['run_state_changed']

const ends = new Map<RunChange['status'], { word: string; tone: Tone }>([
  ['succeeded', { word: 'Finished', tone: 'ok' }],
  ['failed', { word: 'Failed', tone: 'danger' }],
  ['timed_out', { word: 'Timed out', tone: 'danger' }],
  ['stopped', { word: 'Stopped', tone: 'neutral' }],
])

const failures: Record<NonNullable<RunChange['failureClass']>, string> = {
  transient: 'temporary error',
  persistent: 'permanent error',
  policy: 'blocked by policy',
  budget: 'out of budget',
  gate: 'gate failed',
  dependency: 'dependency failed',
}

const order: Tone[] = ['ok', 'danger', 'neutral', 'warn']

/** What was done, from entries in the order of time: how each run ended, new stories, answers, and what goes on. */
export function doneFrom(entries: readonly AuditEntry[]) {
  const runs = endedRuns(entries)
  const all = [...runs.values(), ...newStories(entries)].toSorted(
    (a, b) => order.indexOf(a.tone) - order.indexOf(b.tone),
  )
  const rest = (left: number) => sentence(`${counted(left, 'more result')} in Runs`, { type: 'runs', id: '' })
  const { sentences, more } = section(all, rest)
  return { sentences: [...sentences, ...summary(entries, runs)], more }
}

/** One sentence a run: the last thing that happened, with its pull request where it was merged. */
function endedRuns(entries: readonly AuditEntry[]): Map<string, Sentence> {
  const runs = new Map<string, Sentence>()
  for (const entry of entries) {
    const { runKey, timestamp } = entry
    if (!runKey) continue
    const target = { type: 'run', id: runKey } as const
    const merged = detailsOf(entry, 'pull_request_merged')
    if (merged && entry.result === 'success')
      runs.set(
        runKey,
        sentence(`Merged pull request #${merged.number}: ${runName(entry)}`, target, 'ok', timestamp),
      )
    const changed = detailsOf(entry, 'run_state_changed')
    if (!changed) continue
    const end = ends.get(changed.status)
    // It was merged and its main branch is green: the merge says more. A new attempt takes the end back.
    if (!end) {
      if (changed.cause === 'retried') runs.delete(runKey)
    } else if (end.tone !== 'ok' || !runs.has(runKey)) {
      const why = changed.failureClass ? ` (${failures[changed.failureClass]})` : ''
      runs.set(runKey, sentence(`${end.word}${why}: ${runName(entry)}`, target, end.tone, timestamp))
    }
  }
  return runs
}

function newStories(entries: readonly AuditEntry[]): Sentence[] {
  return entries.flatMap((entry) => {
    const written = detailsOf(entry, 'story_written')
    if (!written) return []
    const { id, name } = entry.entity
    const title = name ? `${id}: ${name}` : id
    const text = written.trackerKey ? `Wrote to the tracker: ${title}` : `Created story ${title}`
    return [sentence(text, { type: 'story', id }, 'neutral', entry.timestamp)]
  })
}

/** What would be a sentence for each of many is one with their number. */
function summary(entries: readonly AuditEntry[], ended: ReadonlyMap<string, Sentence>): Sentence[] {
  const answered = entries.filter(({ event }) => event === 'decision_resolved').length
  const started = new Set(entries.flatMap(({ event, runKey }) => (event === 'run_started' ? [runKey] : [])))
  const open = [...started].filter((key) => key && !ended.has(key)).length
  return [
    ...(answered > 0
      ? [
          sentence(`${counted(answered, 'decision was', 'decisions were')} answered`, {
            type: 'inbox',
            id: 'resolved',
          }),
        ]
      : []),
    ...(open > 0
      ? [
          sentence(`${counted(open, 'run')} started and ${open === 1 ? 'is' : 'are'} not finished yet`, {
            type: 'runs',
            id: '',
          }),
        ]
      : []),
  ]
}
