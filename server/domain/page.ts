import type { Json } from '@signalbox/contract/shapes.ts'

/** Lists are read by position, never by offset: page 10,000 costs what page 1 costs. */
export interface PageRequest {
  limit: number
  /** Id of the last row of the page before; null for the first page. */
  after: string | null
}

export interface Page<T> {
  data: Json<T>[]
  /** Id of the last row, when more follow. */
  next: string | null
}

/** A row as a store reads it: its id and its rendering. */
export interface Rendered<T> {
  id: string
  json: Json<T>
}

/**
 * How many rows a store reads: one more than asked for, to know whether there is more, rounded up to one of a few
 * sizes, because each size is a statement of its own.
 */
export const rowsFor = ({ limit }: Pick<PageRequest, 'limit'>): number =>
  sizes.find((size) => size > limit) ?? limit + 1

/** Where the rows of a page begin, and how many are read. */
export const sliceFor = (page: PageRequest) => ({ after: page.after, rows: rowsFor(page) })

const sizes = [2, 6, 11, 26, 51, 101]

export function pageFrom<T>(rows: readonly Rendered<T>[], { limit }: PageRequest): Page<T> {
  const more = rows.length > limit
  const kept = more ? rows.slice(0, limit) : rows
  return { data: kept.map((row) => row.json), next: more ? kept[limit - 1]!.id : null }
}
