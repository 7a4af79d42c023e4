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

/** Stores read one row more than asked for; it only tells that there is more. */
export const rowsFor = (page: Pick<PageRequest, 'limit'>): number => page.limit + 1

export function pageFrom<T>(rows: Rendered<T>[], { limit }: PageRequest): Page<T> {
  const more = rows.length > limit
  if (more) rows.length = limit
  return { data: rows.map((row) => row.json), next: more ? rows[limit - 1]!.id : null }
}
