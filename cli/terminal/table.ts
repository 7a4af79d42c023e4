import { stripVTControlCharacters } from 'node:util'
import { colour } from './colour.ts'
import { oneLine } from './print.ts'

export interface Cell {
  text: string
  paint?: (text: string) => string
}
type Row = (string | Cell)[]

/**
 * Rows below their headings. The last column takes what is left of the terminal's width and is cut there; to a file or
 * another program nothing is cut.
 */
export function table(headings: string[], rows: Row[], width = process.stdout.columns): string {
  const cells = rows.map((row) => row.map(cellOf))
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...cells.map((row) => lengthOf(row[column]!.text))),
  )
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0)
  const last = width === undefined ? undefined : Math.max(10, width - before)
  const lineOf = (row: Cell[]) =>
    row
      .map(({ text, paint = (same: string) => same }, column) =>
        column === row.length - 1
          ? paint(cut(text, last))
          : `${paint(text)}${' '.repeat(widths[column]! - lengthOf(text) + 2)}`,
      )
      .join('')
      .trimEnd()
  const dim = (text: string) => colour('gray', text)
  return [headings.map((text) => ({ text, paint: dim })), ...cells].map(lineOf).join('\n')
}

const cellOf = (given: string | Cell): Cell =>
  typeof given === 'string' ? { text: oneLine(given) } : { ...given, text: oneLine(given.text) }

const lengthOf = (text: string) => [...stripVTControlCharacters(text)].length

function cut(text: string, most: number | undefined): string {
  const letters = [...text]
  return most === undefined || letters.length <= most ? text : `${letters.slice(0, most - 1).join('')}…`
}
