import type { Race as RaceShown } from '@signalbox/contract/app/runs.ts'
import { microsPerCent } from '@signalbox/contract/money.ts'
import type { Evidence, Gate, RunListed } from '@signalbox/contract/run.ts'

/** Which of the two agents of a race. */
export type Lane = 0 | 1

/** The outcome of an agent's turn, as far as it is compared and shown. */
export interface LaneResult {
  costMicros: number
  gates: Gate[]
  change: Evidence['changes'] | null
  /** Why it cannot be merged; null: it was verified. */
  failure: string | null
  /** Null: it cannot be merged. */
  made: { findings: string[] } | null
}

/** A race as its run remembers it, as far as it is shown. */
export interface StoredRace {
  agents: [RunListed['executor'], RunListed['executor']]
  /** Whose turn it is; once both have had theirs, whose change is at hand. */
  at: Lane
  results: [LaneResult | null, LaneResult | null]
}

type Because = NonNullable<RaceShown['because']>

const passedIn = ({ gates }: LaneResult) => gates.filter(({ result }) => result === 'passed').length
const linesIn = ({ change }: LaneResult) => (change?.additions ?? 0) + (change?.deletions ?? 0)

/** Which change is the better one: more gates passed, then fewer lines, then less money. Null: none was verified. */
export function betterOf([first, second]: StoredRace['results']): { lane: Lane; because: Because } | null {
  if (!first?.made && !second?.made) return null
  if (!first?.made) return { lane: 1, because: 'only' }
  if (!second?.made) return { lane: 0, because: 'only' }
  const rules: [Because, number][] = [
    ['gates', passedIn(first) - passedIn(second)],
    ['size', linesIn(second) - linesIn(first)],
    ['cost', second.costMicros - first.costMicros],
  ]
  const [because, ahead] = rules.find(([, difference]) => difference !== 0) ?? ['first', 1]
  return { lane: ahead > 0 ? 0 : 1, because }
}

/** The figures of one agent. */
export function figuresOf({ agents, results }: StoredRace, lane: Lane) {
  const result = results[lane]
  const { additions = 0, deletions = 0, files = 0 } = result?.change ?? {}
  return {
    ...{ executor: agents[lane], files, additions, deletions },
    passed: result ? passedIn(result) : 0,
    failed: result?.gates.filter((gate) => gate.result === 'failed').map(({ name }) => name) ?? [],
    costCents: Math.ceil((result?.costMicros ?? 0) / microsPerCent),
    failure: result?.failure ?? null,
  }
}

/** Both agents side by side; while one has not had its turn, nothing is proposed. */
export function shownRace(race: StoredRace, isOpen: boolean): RaceShown {
  const { at, results } = race
  const best = results[0] && results[1] ? betterOf(results) : null
  return {
    proposed: best ? at : null,
    because: best?.lane === at ? best.because : null,
    agents: ([0, 1] as const).map((lane) => ({
      ...figuresOf(race, lane),
      state: results[lane]
        ? results[lane].made
          ? 'verified'
          : 'failed'
        : isOpen && lane === at
          ? 'working'
          : 'waiting',
    })),
  }
}
