import type { Rehearsal, RehearsedRun } from '@signalbox/contract/app/policies.ts'
import { moneyToTheCent } from '../browser/formats.ts'

type Difference = RehearsedRun['differences'][number]
type Effect = Difference['effect']

/** What follows “would have”. */
const deeds: Record<Effect, string> = {
  plan_approval: 'asked for plan approval',
  policy_exception: 'asked about denied paths',
  merge_approval: 'asked before merging',
  merge_by_people: 'left the merge to people',
  isolation: 'waited for stronger isolation',
  runner_labels: 'waited for a runner with the right labels',
  model_tools: 'had network access through the model provider',
  acceptance_spec: 'needed an acceptance spec first',
  run_budget: 'stopped at their run budget',
  day_budget: 'been held by the daily budget',
  month_budget: 'been held by the monthly budget',
}

/** Why it isn’t known; the others always are. */
const gaps: Partial<Record<Effect, string>> = {
  plan_approval: 'no plan is recorded',
  policy_exception: 'no change is recorded',
  merge_approval: 'no change is recorded',
  isolation: 'no isolation is recorded',
  runner_labels: 'no runner is recorded',
  run_budget: 'they ended at the budget they had',
}

const asks: Effect[] = ['plan_approval', 'policy_exception', 'merge_approval']
const inARow = new Intl.ListFormat('en')

const deedOf = (effect: Effect, runs: number) =>
  runs === 1 ? deeds[effect].replace('their', 'its') : deeds[effect]
const runsOf = (count: number) => (count === 1 ? '1 run' : `${count} runs`)

/** “Of 42 runs in the last 30 days, 7 more would have asked before merging and 2 would have stopped at their run budget.” */
export function summaryOf({ days, runs, changed }: Rehearsal): string {
  if (runs === 0) return `No runs in the last ${days} days.`
  const span = `${runsOf(runs)} in the last ${days} days`
  if (changed.length === 0)
    return runs === 1
      ? `The only run in the last ${days} days would have had the same outcome.`
      : `All ${span} would have had the same outcome.`
  const all = changed.flatMap(({ differences }) => differences)
  const parts = (Object.keys(deeds) as Effect[]).flatMap((effect) =>
    [true, false].flatMap((more) => {
      const count = all.filter((one) => one.effect === effect && one.more === more).length
      if (count === 0) return []
      const word = more ? (asks.includes(effect) ? ' more' : '') : ' fewer'
      return `${count}${word} would have ${deedOf(effect, count)}`
    }),
  )
  return `Of ${span}, ${inARow.format(parts)}.`
}

/** What can’t be known, and where the comparison ends. */
export function limitsOf({ unknown, runs, more }: Rehearsal): string[] {
  return [
    ...unknown.map(({ effect, runs }) => {
      const gap = gaps[effect] ?? 'it isn’t recorded'
      const [them, why] =
        runs === 1
          ? ['it', gap.replace('they ended', 'it ended').replace('they had', 'it had')]
          : ['they', gap]
      return `For ${runsOf(runs)}, we can’t know whether ${them} would have ${deedOf(effect, runs)}: ${why}.`
    }),
    ...(more ? [`Only the newest ${runs} runs are compared.`] : []),
  ]
}

/** What a policy does with a run: without the effect, and with it. */
const outcomes: Record<Effect, readonly [string, string]> = {
  plan_approval: ['Doesn’t ask for plan approval', 'Asks for plan approval'],
  policy_exception: ['Touches no denied paths', 'Asks about denied paths'],
  merge_approval: ['Doesn’t ask before merging', 'Asks before merging'],
  merge_by_people: ['Doesn’t leave the merge to people', 'Leaves the merge to people'],
  isolation: ['Isolation is strong enough', 'Waits for stronger isolation'],
  runner_labels: ['Any of its runners qualifies', 'Waits for a runner with the right labels'],
  model_tools: ['No such network access', 'Network access through the model provider'],
  acceptance_spec: ['Doesn’t need an acceptance spec', 'Needs an acceptance spec first'],
  run_budget: ['Within the run budget', 'Stops at the run budget'],
  day_budget: ['Within the daily budget', 'Held by the daily budget'],
  month_budget: ['Within the monthly budget', 'Held by the monthly budget'],
}

/** What one of the two policies does with a run, where they differ. */
export function outcomeOf(
  { effect, more, paths }: Difference,
  policy: 'current' | 'proposed',
  run: RehearsedRun,
): string {
  const [without, withIt] = outcomes[effect]
  if (more !== (policy === 'proposed')) return without
  if (effect === 'policy_exception') return `${withIt}: ${shortened(paths)}`
  if (effect === 'merge_approval' && run.lines !== null) return `${withIt} (${linesOf(run.lines)})`
  if (effect === 'run_budget') return `${withIt} (cost ${moneyToTheCent(run.costCents)})`
  return withIt
}

const linesOf = (lines: number) => (lines === 1 ? '1 line' : `${lines} lines`)

const mostPaths = 3
const shortened = (paths: string[]) =>
  paths.length <= mostPaths
    ? paths.join(', ')
    : `${paths.slice(0, mostPaths).join(', ')} and ${paths.length - mostPaths} more`
