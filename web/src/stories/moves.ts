import type { BoardColumn, StoryRow } from '@signalbox/contract/app/stories.ts'

export interface Movable extends Pick<StoryRow, 'key' | 'draft' | 'column' | 'readinessScore'> {
  run: { key: string; open: boolean } | null
}

/** Why a story cannot be moved at all; false when it can. The server decides; this only saves the attempt. */
export function whyNotMoved({ draft, run }: Movable): string | false {
  if (draft) return 'Approve the draft before moving it'
  if (run?.open) return `${run.key} is working on it, so it moves with the run`
  return false
}

/** Why a story cannot be moved there; false when it can. */
export function whyNotThere(story: Movable, to: StoryRow['column']['role']): string | false {
  if (story.column.role === to) return 'It’s already there'
  if (to === 'ready' && story.readinessScore < 100)
    return `Needs a readiness of 100, but has ${story.readinessScore}`
  return false
}

/** Why none of these can be moved there; false when one can. Of several the first says why. */
export function whyNoneThere(stories: readonly Movable[], to: StoryRow['column']['role']): string | false {
  const reasons = stories.map((story) => whyNotMoved(story) || whyNotThere(story, to))
  return reasons.every((reason) => reason !== false) && (reasons[0] ?? false)
}

/** A card that was let go over another column, and of which the server has not said yet that it may be there. */
export type Underway = StoryRow & { isMoving?: true }

/** The board as it will be, if the server agrees. What moves comes first in its new column, where it is seen. */
export function withMoved(
  columns: readonly BoardColumn[],
  keys: ReadonlySet<string>,
  to: StoryRow['column']['role'],
): BoardColumn[] {
  const target = columns.find(({ role }) => role === to)
  if (!target) return [...columns]
  const { id, name } = target
  const moving = columns
    .filter(({ role }) => role !== to)
    .flatMap(({ stories }) => stories)
    .filter(({ key }) => keys.has(key))
    .map((story): Underway => ({ ...story, column: { id, name, role: to }, heldBy: [], isMoving: true }))
  return columns.map((column) => {
    if (column.role === to)
      return { ...column, total: column.total + moving.length, stories: [...moving, ...column.stories] }
    const stories = column.stories.filter(({ key }) => !keys.has(key))
    return { ...column, total: column.total - (column.stories.length - stories.length), stories }
  })
}

export interface Spot {
  column: number
  row: number
}

/** Where the keys lead from a card, given how many cards each column shows. Empty columns are stepped over. */
export function step(counts: readonly number[], from: Spot | null, key: 'h' | 'j' | 'k' | 'l'): Spot | null {
  if (from === null) {
    const column = counts.findIndex((count) => count > 0)
    return column < 0 ? null : { column, row: 0 }
  }
  if (key === 'j') return { ...from, row: Math.min(from.row + 1, (counts[from.column] ?? 1) - 1) }
  if (key === 'k') return { ...from, row: Math.max(from.row - 1, 0) }
  const way = key === 'l' ? 1 : -1
  for (let column = from.column + way; column >= 0 && column < counts.length; column += way) {
    const count = counts[column] ?? 0
    if (count > 0) return { column, row: Math.min(from.row, count - 1) }
  }
  return from
}
