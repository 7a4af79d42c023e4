import type { ReactNode } from 'react'

/** Where a column goes on a card: the title first, the state beside it, what can be done at its end. */
type CardPart = 'title' | 'state' | 'line' | 'action'

export interface Column<T> {
  title: string
  cell: (row: T) => ReactNode
  /** Numbers stand right. */
  right?: boolean
  /** Not needed on a phone, where each row is a card. */
  wideOnly?: boolean
  /** Without it the first column is the title, “Status” or “Result” the state, “Actions” the action, and others are lines. */
  card?: CardPart
  className?: string
}

export interface TableProps<T> {
  /** What the table is of; read aloud, not shown. */
  caption: string
  columns: Column<T>[]
  rows: readonly T[]
  keyOf: (row: T) => string
}

const partOf = ({ card, title }: { card?: CardPart; title: string }, isFirst: boolean): CardPart => {
  if (card) return card
  if (isFirst) return 'title'
  if (title === 'Status' || title === 'Result') return 'state'
  return title === 'Actions' ? 'action' : 'line'
}

const cells: Record<CardPart, string> = {
  title: 'max-md:order-1 max-md:min-w-0 max-md:flex-1 max-md:basis-1/2 max-md:pt-0.5',
  state: 'max-md:order-2 max-md:max-w-[60%] max-md:self-start max-md:pt-1',
  line: 'max-md:order-3 max-md:flex max-md:min-h-7 max-md:basis-full max-md:items-center max-md:justify-between max-md:gap-3',
  action: 'max-md:order-4 max-md:basis-full max-md:pt-1',
}
const contents: Record<CardPart, string> = {
  title: '',
  state: 'max-md:text-right',
  line: 'max-md:text-right',
  action: 'max-md:flex max-md:justify-end',
}

/** Rows and columns; on a narrow screen each row becomes a card. */
export function Table<T>({ caption, columns, rows, keyOf }: TableProps<T>) {
  const hasTitle = columns.some(({ card }) => card === 'title')
  const parts = columns.map((column, index) => partOf(column, index === 0 && !hasTitle))
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
              className="max-md:flex max-md:flex-wrap max-md:gap-x-3 max-md:rounded-lg max-md:border max-md:bg-surface max-md:p-3 md:border-b md:last:border-b-0 md:hover:bg-hover"
            >
              {columns.map((column, index) => {
                const part = parts[index]!
                return (
                  <td
                    key={column.title}
                    className={`px-3 py-2 align-middle max-md:px-0 max-md:py-0.5 ${cells[part]} ${column.right ? 'tabular-nums md:text-right' : ''} ${column.wideOnly ? 'max-md:hidden!' : ''} ${column.className ?? ''}`}
                  >
                    {part === 'line' && (
                      <span className="shrink-0 text-xs text-muted md:hidden" aria-hidden="true">
                        {column.title}
                      </span>
                    )}
                    <div className={`min-w-0 ${contents[part]}`}>{column.cell(row)}</div>
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
