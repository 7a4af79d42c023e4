import type { ReactNode } from 'react'

export interface Column<T> {
  title: string
  cell: (row: T) => ReactNode
  /** Numbers stand right. */
  right?: boolean
  /** Not needed on a phone, where each row is a card. */
  wideOnly?: boolean
  className?: string
}

export interface TableProps<T> {
  /** What the table is of; read aloud, not shown. */
  caption: string
  columns: Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
}

/** Rows and columns; on a narrow screen each row becomes a card with its labels. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  return (
    <div className="overflow-x-auto md:rounded-lg md:border md:bg-surface">
      <table className="w-full border-collapse text-left text-sm max-md:block">
        <caption className="sr-only">{caption}</caption>
        <thead className="max-md:sr-only">
          <tr className="border-b">
            {columns.map((column) => (
              <th
                key={column.title}
                scope="col"
                className={`h-9 px-3 text-xs font-medium whitespace-nowrap text-muted ${column.right ? 'text-right' : ''}`}
              >
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:flex max-md:flex-col max-md:gap-2">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className="max-md:block max-md:rounded-lg max-md:border max-md:bg-surface max-md:p-3 md:border-b md:last:border-b-0 md:hover:bg-hover"
            >
              {columns.map((column) => (
                <td
                  key={column.title}
                  className={`px-3 py-2 align-middle max-md:flex max-md:min-h-7 max-md:items-center max-md:justify-between max-md:gap-3 max-md:px-0 max-md:py-0.5 ${column.right ? 'md:text-right tabular-nums' : ''} ${column.wideOnly ? 'max-md:hidden!' : ''} ${column.className ?? ''}`}
                >
                  <span className="shrink-0 text-xs text-muted md:hidden" aria-hidden="true">
                    {column.title}
                  </span>
                  <div className="min-w-0 max-md:text-right">{column.cell(row)}</div>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
