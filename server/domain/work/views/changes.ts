import type { ViewFilter } from '@signalbox/contract/app/views.ts'

export interface Viewed {
  team: string
  filter: ViewFilter
}

/** What became different, for the audit entry: the team, and each filter on its own. */
export function changesOf(before: Viewed | null, after: Viewed | null) {
  const [was, is] = [flat(before), flat(after)]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])]
    .filter((field) => was[field] !== is[field])
    .map((field) => ({ field, before: was[field] ?? null, after: is[field] ?? null }))
}

const flat = (view: Viewed | null): Record<string, unknown> =>
  view ? { team: view.team, ...view.filter } : {}
