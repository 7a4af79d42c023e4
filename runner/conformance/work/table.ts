import { type CategoryName, categories } from './attempt.ts'
import type { WorkPlayed } from './play-work.ts'

/** What was tried of one category, and with which result. */
interface Row {
  category: CategoryName
  attempts: number
  through: number
  notClaimed: number
}

export function rowsOf(played: Pick<WorkPlayed, 'category' | 'tried'>[]): Row[] {
  return (Object.keys(categories) as CategoryName[]).flatMap((category) => {
    const tried = played.filter((one) => one.category === category).flatMap((one) => one.tried)
    const count = (...results: string[]) => tried.filter(({ result }) => results.includes(result)).length
    const row = {
      ...{ category, attempts: tried.length },
      ...{ through: count('through', 'not played'), notClaimed: count('not claimed') },
    }
    return tried.length > 0 ? [row] : []
  })
}

const sum = (rows: Row[], of: 'attempts' | 'through' | 'notClaimed') =>
  rows.reduce((total, row) => total + row[of], 0)

const totalOf = (rows: Row[]): string => `${sum(rows, 'attempts')} attempts, ${sum(rows, 'through')} through`

/** For a terminal. */
export function printedTable(rows: Row[]): string {
  const lines = rows.map(({ category, attempts, through, notClaimed }) => {
    const beside = notClaimed > 0 ? `, ${notClaimed} not claimed` : ''
    return `${String(attempts).padStart(5)}  ${String(through).padStart(3)} through${beside}  ${categories[category].tries}`
  })
  return `${lines.join('\n')}\n${totalOf(rows)}${aside(rows)}\n`
}

/** What tests a layer that the runner does not have is not counted for it. */
const aside = (rows: Row[]): string => {
  const count = sum(rows, 'notClaimed')
  return count > 0 ? ` (${count} of them test a layer that the runner does not claim)` : ''
}

/** For the manual. */
export function manualTable(rows: Row[]): string {
  const lines = rows.map(({ category, attempts, through }) => {
    const { tries, proves, catches } = categories[category]
    return `| ${tries} | ${attempts} | ${through} | ${proves} | ${catches} |`
  })
  return [
    `**${totalOf(rows)}**${aside(rows)}:`,
    '',
    '| What it tries | Attempts | Through | What it proves | What catches it |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n')
}

const begin = '<!-- npm run test:hostile writes from here -->'
const end = '<!-- to here -->'

/** A page of the manual with the table in its place. */
export function withTable(page: string, table: string): string {
  const [before, rest] = page.split(begin)
  const after = rest?.split(end)[1]
  if (after === undefined) throw new Error(`The page has no place for the table: ${begin} … ${end}`)
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}
