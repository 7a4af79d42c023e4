import type { Estimate, Score, ScoreboardQuery, Share } from '@signalbox/contract/app/insights.ts'
import { classNames } from '../words/classes-of-service.ts'
import { executors } from '../words/executors.ts'

export type Grouping = ScoreboardQuery['by']

export const groupings: Record<Grouping, string> = {
  agent: 'Agent',
  model: 'Model',
  team: 'Team',
  kind: 'Kind of story',
  size: 'Size',
}

const unknown: Partial<Record<Grouping, string>> = { model: 'Not recorded', size: 'No size' }

/** What a row is called. */
export function nameOf(by: Grouping, { group, name }: Pick<Score, 'group' | 'name'>): string {
  if (group === '') return unknown[by] ?? 'Unknown'
  if (by === 'agent' && group === 'local') return 'A person’s own agent'
  if (by === 'size') return group.toUpperCase()
  const words: Record<string, string> = by === 'agent' ? executors : by === 'kind' ? classNames : {}
  return name ?? (Object.hasOwn(words, group) ? words[group]! : group)
}

/** What rows can be sorted by, and whether the most of it comes first. */
export const sortings = {
  name: { title: 'Name', isMostFirst: false },
  finished: { title: 'Finished runs', isMostFirst: true },
  withoutRework: { title: 'Merged without rework', isMostFirst: true },
  reverted: { title: 'Reverts', isMostFirst: false },
  incidents: { title: 'Incidents within a week', isMostFirst: false },
  waiting: { title: 'Waiting for people', isMostFirst: false },
  cost: { title: 'Cost per merged story', isMostFirst: false },
} as const
export type Sorting = keyof typeof sortings

export interface Order {
  by: Sorting
  isDescending: boolean
}

/** As the address has it: `cost`, or `-cost` from the most to the least. */
export function orderOf(sort: string | undefined): Order {
  const by = sort?.replace(/^-/, '') ?? ''
  return Object.hasOwn(sortings, by)
    ? { by: by as Sorting, isDescending: sort!.startsWith('-') }
    : { by: 'finished', isDescending: true }
}

/** What the address says once rows are to be sorted by this: the other way round where they already are. */
export function sortNext(order: Order, by: Sorting): string {
  const isDescending = order.by === by ? !order.isDescending : sortings[by].isMostFirst
  return `${isDescending ? '-' : ''}${by}`
}

function figureOf(score: Score, by: Exclude<Sorting, 'name'>): number | null {
  if (by === 'finished') return score.finished
  if (by === 'waiting' || by === 'cost') return score[by]?.value ?? null
  return score[by].estimate?.value ?? null
}

/** Rows with too few to compare come last either way; what is equal is in the order of its names. */
export function sorted(scores: readonly Score[], grouping: Grouping, { by, isDescending }: Order): Score[] {
  const byName = (a: Score, b: Score) => nameOf(grouping, a).localeCompare(nameOf(grouping, b))
  const turn = isDescending ? -1 : 1
  return scores.toSorted((a, b) => {
    if (by === 'name') return turn * byName(a, b)
    const [one, other] = [figureOf(a, by), figureOf(b, by)]
    if (one === null || other === null) return Number(one === null) - Number(other === null) || byName(a, b)
    return turn * (one - other) || byName(a, b)
  })
}

/** The table with every number that is behind it; a figure that is not compared is left empty. */
export function scoresAsRows(scores: readonly Score[], grouping: Grouping): (string | number)[][] {
  const interval = (title: string, unit: string) => [
    `${title} (${unit})`,
    `${title}, 95% low (${unit})`,
    `${title}, 95% high (${unit})`,
  ]
  const titles = [
    ...[groupings[grouping], 'Finished runs', 'Open runs', 'Merged stories'],
    ...['Merged without rework', ...interval('Merged without rework', 'share of finished runs')],
    ...['Reverts', ...interval('Reverts', 'share of merged stories')],
    ...['Merges at least a week old', 'Incidents within a week'],
    ...interval('Incidents within a week', 'share of these'),
    ...['Answers by people', ...interval('Waiting for people', 'median seconds')],
    ...[...interval('Cost per merged story', 'median EUR'), 'Spent by all finished runs (EUR)'],
  ]
  const estimate = (of: Estimate | null, unit = 1) =>
    of ? [of.value / unit, of.low / unit, of.high / unit] : ['', '', '']
  const share = ({ count, estimate: of }: Share) => [count, ...estimate(of)]
  const euro = 1_000_000
  return [
    titles,
    ...scores.map((score) => [
      ...[nameOf(grouping, score), score.finished, score.open, score.merged],
      ...[...share(score.withoutRework), ...share(score.reverted)],
      ...[score.incidents.of, ...share(score.incidents)],
      ...[score.answers, ...estimate(score.waiting)],
      ...[...estimate(score.cost, euro), score.spentMicros / euro],
    ]),
  ]
}
