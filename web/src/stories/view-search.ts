import type { StoryView, ViewFilter } from '@signalbox/contract/app/views.ts'

/** What is set, in a fixed order; the address and the server write the same thing differently. */
const setIn = (filter: ViewFilter) =>
  Object.entries(filter)
    .filter(([, value]) => value !== undefined && value !== false && value !== '')
    .toSorted(([one], [other]) => (one < other ? -1 : 1))

type Viewed = Pick<StoryView, 'team' | 'filter'>

export const isSameView = (one: Viewed, other: Viewed): boolean =>
  one.team === other.team && JSON.stringify(setIn(one.filter)) === JSON.stringify(setIn(other.filter))

/** The filters of a view as the address has them. */
export const searchOf = (filter: ViewFilter): Record<string, string> =>
  Object.fromEntries(setIn(filter).map(([name, value]) => [name, value === true ? 'yes' : String(value)]))
