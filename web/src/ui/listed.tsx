import type { ReactNode } from 'react'
import { More } from './more.tsx'
import { Loaded } from './page.tsx'
import { Table, type TableProps } from './table.tsx'

type Pages = Parameters<typeof More>[0]['of']

interface Reading<T> {
  /** What was read: the rows, or a page with the rows in it. */
  of: Partial<Pages> & {
    data: T[] | { data: T[] } | undefined
    error: Error | null
    refetch: () => unknown
  }
  /** Instead of the rows while there are none. */
  empty: ReactNode
  lines?: number
  /** What the way to the next page says. */
  more?: string
}

/** A read of rows: its bars, its failure, what is said where it brought nothing, its rows and the way to more. */
export const List = <T,>({
  of,
  empty,
  lines = 6,
  more = 'Load more',
  children,
}: Reading<T> & { children: (rows: T[]) => ReactNode }) => (
  <Loaded of={of} lines={lines}>
    {(found) => {
      const rows = 'data' in found ? found.data : found
      if (rows.length === 0) return empty
      return (
        <>
          {children(rows)}
          {of.fetchNextPage && <More of={of as Pages}>{more}</More>}
        </>
      )
    }}
  </Loaded>
)

/** A read of rows as a table. */
export const Listed = <T,>({
  of,
  empty,
  lines,
  ...table
}: Omit<Reading<T>, 'more'> & Omit<TableProps<T>, 'rows'>) => (
  <List of={of} empty={empty} {...(lines && { lines })}>
    {(rows) => <Table {...table} rows={rows} />}
  </List>
)
