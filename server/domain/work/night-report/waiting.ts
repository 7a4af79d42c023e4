import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import type { NightReport, WaitingSentence } from '@signalbox/contract/app/night-report.ts'
import { isAtLeast, type Role } from '@signalbox/contract/roles.ts'
import { counted, section, sentence } from './sentence.ts'

/** What continues once a decision is answered. */
export interface Unblocked {
  key: string
  hasRun: boolean
  merges: number
  stories: number
}

const dayMs = 86_400_000

/**
 * What a person may answer, in the order in which it is best answered: first what expires before the next report, by the
 * time left; then what most waits for.
 */
export function waitingFrom(
  decisions: readonly DecisionRow[],
  unblocked: readonly Unblocked[],
  role: Role,
  now: Date,
): NightReport['waiting'] {
  const byKey = new Map(unblocked.map((one) => [one.key, one]))
  const urgent = now.getTime() + dayMs
  const expiry = ({ expiresAt }: DecisionRow) =>
    expiresAt ? Date.parse(expiresAt) : Number.POSITIVE_INFINITY
  const ordered = decisions
    .filter(({ authority }) => isAtLeast(role, authority))
    .map((decision) => ({ decision, expires: expiry(decision), unblocks: sum(byKey.get(decision.key)) }))
    .toSorted(
      (a, b) =>
        Math.min(a.expires, urgent) - Math.min(b.expires, urgent) ||
        b.unblocks - a.unblocks ||
        // Two that never expire have no difference.
        (a.expires === b.expires ? 0 : a.expires - b.expires),
    )
  const sentences = ordered.map(({ decision, unblocks }) =>
    ofDecision(decision, byKey.get(decision.key), unblocks),
  )
  const rest = (left: number) => sentence(`${counted(left, 'more decision')} in the inbox`, inbox)
  const shown = section(sentences, rest)
  return { ...shown, shortest: shortestOf(sentences, shown.sentences.length) }
}

const inbox = { type: 'inbox', id: '' } as const

const sum = (one: Unblocked | undefined) => (one ? Number(one.hasRun) + one.merges + one.stories : 0)

function ofDecision(
  decision: DecisionRow,
  unblocked: Unblocked | undefined,
  unblocks: number,
): WaitingSentence {
  const { key, title, story, expiresAt, recommended, createdAt, runKey } = decision
  const where = story ? `${story.key}, ${key}` : key
  const next = continues(unblocked, runKey)
  return {
    ...sentence(
      `${title} (${where})${next ? `. ${next}` : ''}`,
      { type: 'decision', id: key },
      'warn',
      createdAt,
    ),
    ...{ recommended, expiresAt, unblocks },
  }
}

const inARow = new Intl.ListFormat('en-GB')

/** Said only where there is more than its own run: that goes without saying. */
function continues(unblocked: Unblocked | undefined, runKey: string | null): string | null {
  if (!unblocked || unblocked.merges + unblocked.stories === 0) return null
  const parts = [
    ...(unblocked.hasRun && runKey ? [runKey] : []),
    ...(unblocked.merges > 0 ? [counted(unblocked.merges, 'held merge')] : []),
    ...(unblocked.stories > 0 ? [counted(unblocked.stories, 'blocked story', 'blocked stories')] : []),
  ]
  return `Unblocks ${inARow.format(parts)}`
}

/** After how many of these answers most of what is blocked continues; null where that takes all that are shown. */
function shortestOf(
  sentences: readonly WaitingSentence[],
  shown: number,
): NightReport['waiting']['shortest'] {
  const total = sentences.reduce((all, { unblocks }) => all + unblocks, 0)
  let [answers, unblocks] = [0, 0]
  for (const one of sentences) {
    if (unblocks * 5 >= total * 4) break
    answers += 1
    unblocks += one.unblocks
  }
  return answers > 0 && answers < shown ? { answers, unblocks, of: total } : null
}
