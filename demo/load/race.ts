import { createHash } from 'node:crypto'
import { newRace, type Race, type Result, raceFacts } from '../../server/domain/engine/machine/race.ts'
import type { Facts } from '../../server/domain/work/decisions/facts.ts'
import type { DemoAttempt, DemoEvidence, DemoRun } from '../script.ts'
import { scriptedDiff } from '../shorthand/diff.ts'

/** What the run of a race remembers: its two attempts are the turns, and the second is the one at hand. */
export function raceOf(run: DemoRun): Race | null {
  const { race, attempts, evidence, pullRequest = null } = run
  const [first, second] = attempts
  if (!race || !first || !second || !evidence) return null
  return {
    ...newRace(race.agents),
    at: 1,
    results: [
      resultOf(first, 1, race.first, race.firstPullRequest),
      resultOf(second, 2, evidence, pullRequest),
    ],
  }
}

/** The diffs of both, as a runner would have uploaded them. */
export const diffsOf = ({ race, evidence }: DemoRun): string[] =>
  race && evidence ? [race.first, evidence].map(({ changes }) => scriptedDiff(changes)) : []

/** What a person is asked about it. */
export function factsOf(run: DemoRun): Facts['merge_approval'] | null {
  const race = raceOf(run)
  if (!race) return null
  const { additions, deletions, files } = run.evidence!.changes
  return {
    ...{ lines: additions + deletions, files, limit: 0, because: ['policy', 'race'] },
    pullRequest: run.pullRequest ?? null,
    race: raceFacts(race, null),
  }
}

function resultOf(
  { costCents, verification }: DemoAttempt,
  attempt: number,
  evidence: DemoEvidence,
  pullRequest: DemoRun['pullRequest'],
): Result {
  const { gates } = verification!
  return {
    ...{ attempt, gates, costMicros: costCents * 10_000, change: evidence.changes, failure: null },
    diff: createHash('sha256').update(scriptedDiff(evidence.changes)).digest('hex'),
    made: {
      ...{ work: null, derived: null, onBase: null, findings: [], kinds: [], isUnsigned: false },
      secondReview: evidence.secondReview ?? null,
      gatesPassed: gates.filter(({ result }) => result === 'passed').length,
      evidence: { ...evidence, gates },
      pullRequest: pullRequest ?? null,
    },
  }
}
