import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react'
import type { ReactNode } from 'react'

/** Where a column goes on a card: the title first, the state and a menu beside it, what can be done at its end. */
type CardPart = 'title' | 'state' | 'menu' | 'line' | 'action'

export interface Column<T> {
  title: string
  /** Null where a row has nothing to say: a table shows a dash there, and a card leaves the line out. */
  cell: (row: T) => ReactNode
  /** Numbers stand right. */
  right?: boolean
  /** Not needed on a phone, where each row is a card. */
  wideOnly?: boolean
  /** Without it the first column is the title, “Status” or “Result” the state, “Actions” the action, and others are lines. */
  card?: CardPart
  className?: string
  /** Rows can be sorted by it: how they are now, and what a press of its title does. A phone has no titles. */
  sort?: { now: 'ascending' | 'descending' | 'none'; press: () => void }
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
  state: 'max-md:order-2 max-md:max-w-full max-md:self-start max-md:pt-1',
  menu: 'max-md:order-2 max-md:-mr-1.5 max-md:self-start',
  line: 'max-md:order-3 max-md:flex max-md:min-h-7 max-md:basis-full max-md:items-center max-md:justify-between max-md:gap-3',
  action: 'max-md:order-4 max-md:basis-full max-md:pt-1',
}
const contents: Record<CardPart, string> = {
  title: '',
  state: 'max-md:text-right',
  menu: '',
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
                aria-sort={column.sort?.now}
                className={`h-9 px-3 text-xs font-medium whitespace-nowrap text-muted ${column.right ? 'text-right' : ''}`}
              >
                {column.sort ? <SortTitle title={column.title} {...column.sort} /> : column.title}
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
                const content = column.cell(row)
                const isEmpty = part === 'line' && content === null
                return (
                  <td
                    key={column.title}
                    className={`px-3 py-2 align-middle max-md:px-0 max-md:py-0.5 ${cells[part]} ${column.right ? 'tabular-nums md:text-right' : ''} ${column.wideOnly || isEmpty ? 'max-md:hidden!' : ''} ${column.className ?? ''}`}
                  >
                    {part === 'line' && (
                      <span className="shrink-0 text-xs text-muted md:hidden" aria-hidden="true">
                        {column.title}
                      </span>
                    )}
                    <div className={`min-w-0 ${contents[part]}`}>
                      {isEmpty ? <span className="text-muted">–</span> : content}
                    </div>
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

const arrows = { ascending: ArrowUp, descending: ArrowDown, none: ChevronsUpDown }

function SortTitle({ title, now, press }: { title: string } & NonNullable<Column<never>['sort']>) {
  const Arrow = arrows[now]
  return (
    <>
      <button
        type="button"
        onClick={press}
        className={`-mx-1 inline-flex h-7 items-center gap-1 rounded px-1 hover:text-text max-md:hidden ${now === 'none' ? '' : 'text-text'}`}
      >
        {title}
        <Arrow size={12} aria-hidden="true" />
      </button>
      <span className="md:hidden">{title}</span>
    </>
  )
}
