import type { FindingKind } from '@signalbox/contract/guard/finding.ts'
import type { Evidence, RunListed } from '@signalbox/contract/run.ts'
import type { SecondReview } from '@signalbox/contract/second-review.ts'
import type { Facts } from '../../work/decisions/facts.ts'
import { betterOf, figuresOf, type Lane, type LaneResult, type StoredRace } from '../../work/runs/race.ts'
import type { RepositoryMemory } from './parts.ts'

/**
 * A race: two agents have their turns in one run, from the same commit, with the same plan and acceptance spec and out of
 * one budget. What the run remembers of the change is always that of the agent whose turn it is; what the other has made
 * lies here. docs/decisions/0114 says why it is one run.
 */

type Agent = RunListed['executor']

export interface Race extends StoredRace {
  results: [Result | null, Result | null]
  /** What the run had cost when this turn began: plan and spec are for both, and count for neither. */
  sinceMicros: number
  /** What the gates have said to the agent whose turn it is. The other is not told. */
  findings: string[]
  /** Whose runner hands the change over and looks at main: that takes no agent, so any of them does. */
  hands: Agent | null
  /** The commit that a person chose over the proposed one. Null: no one has. */
  chosen: { head: string | null } | null
  /** The pull request of the change that they did not choose, until it is closed. */
  closes: RunListed['pullRequest']
}

/** The outcome of an agent's turn. */
export interface Result extends LaneResult {
  /** In which it was measured, or ended. */
  attempt: number
  /** Of the file with its unified diff. */
  diff: string | null
  /** What a hand-over takes; null: it cannot be merged. */
  made: LaneChange | null
}

interface LaneChange extends Pick<RepositoryMemory, 'work' | 'derived' | 'onBase'> {
  findings: string[]
  kinds: (FindingKind | 'report')[]
  gatesPassed: number | null
  isUnsigned: boolean
  secondReview: SecondReview | null
  evidence: Omit<Evidence, 'collectedAt'>
  pullRequest: RunListed['pullRequest']
}

export const newRace = (agents: [Agent, Agent]): Race => ({
  ...{ agents, at: 0, results: [null, null], sinceMicros: 0 },
  ...{ findings: [], hands: null, chosen: null, closes: null },
})

/** Which agent works on a run: of a race the one whose turn it is, otherwise the one that the policy names. */
export const agentOf = ({ race }: { race?: Race | null }, { executor }: { executor: Agent }): Agent =>
  race ? race.agents[race.at] : executor

/** Which agent a runner must have to be given the order of a stage. */
export const agentFor = (
  memory: { race?: Race | null },
  policy: { executor: Agent },
  stage: RunListed['stage'],
): Agent => (stage === 'handing_off' && memory.race?.hands) || agentOf(memory, policy)

/** Those of which any will do, the first before the others. */
export const agentsFor = (
  memory: { race?: Race | null },
  policy: { executor: Agent },
  stage: RunListed['stage'],
): Agent[] => {
  const own = agentOf(memory, policy)
  return memory.race && stage === 'handing_off'
    ? [...new Set([own, ...memory.race.agents, policy.executor])]
    : [own]
}

export const otherThan = (lane: Lane): Lane => (lane === 0 ? 1 : 0)

/** The race with the outcome of a turn. */
export const withResult = (race: Race, lane: Lane, result: Result): Race => ({
  ...race,
  results: lane === 0 ? [result, race.results[1]] : [race.results[0], result],
})

/** Whether the other change could be merged in place of the one at hand: both had their turn, from the same commit. */
export function isOtherMergeable(race: Race, base: string | null): boolean {
  const made = race.results[otherThan(race.at)]?.made
  if (!made || race.results[race.at] === null) return false
  return made.work === null || made.work.base === base
}

/** What a person is shown of both. */
export function raceFacts(race: Race, base: string | null): NonNullable<Facts['merge_approval']['race']> {
  const best = betterOf(race.results)
  return {
    proposed: race.at,
    because: best?.lane === race.at ? best.because : null,
    isOtherMergeable: isOtherMergeable(race, base),
    agents: ([0, 1] as const).map((lane) => ({
      ...figuresOf(race, lane),
      findings: race.results[lane]?.made?.findings ?? [],
      head: race.results[lane]?.made?.derived?.head ?? null,
    })),
  }
}
