import { useVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { type Colours, useColours } from './colours.ts'
import { parseHunks } from './hunks.ts'
import type { Layout } from './layout.ts'
import { PathShown } from './line-comments.tsx'
import { Columns, DiffRow, type Row, rowHeight, rowsOf } from './rows.tsx'
import { goTo, type HunkStep, hunkStep, stepLine } from './step-hunk.ts'

/** As many rows are all on the page; of longer files only what is in sight is. */
const mostOnPage = 1_500

/** The changed lines of one file. */
export function DiffLines({ path, hunks, layout }: { path: string; hunks: string; layout: Layout }) {
  const parsed = useMemo(() => parseHunks(withoutReturns(hunks)), [hunks])
  const rows = useMemo(() => rowsOf(parsed, layout), [parsed, layout])
  const place = useRef<HTMLDivElement>(null)
  const isNear = useIsNear(place)
  return (
    <div ref={place}>
      {!isNear ? (
        <div style={{ height: Math.min(rows.length, mostOnPage) * rowHeight }} />
      ) : rows.length > mostOnPage ? (
        <LongTable path={path} rows={rows} layout={layout} />
      ) : (
        <WholeTable path={path} rows={rows} layout={layout} />
      )}
    </div>
  )
}

/** Where every line ends in one, a carriage return is how lines end; elsewhere it is shown. */
function withoutReturns(hunks: string): string {
  const lines = hunks.split('\n').filter((line) => /^[ +-]/.test(line))
  return lines.every((line) => line.endsWith('\r'))
    ? hunks.replaceAll('\r\n', '\n').replace(/\r$/, '')
    : hunks
}

/** Whether it is, or has been, within a screen or two of what is in sight. */
function useIsNear(place: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    if (isNear) return
    const margin = { rootMargin: '1200px 0px', scrollMargin: '1200px 0px' }
    const observer = new IntersectionObserver((entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) setIsNear(true)
    }, margin)
    observer.observe(place.current!)
    return () => observer.disconnect()
  }, [place, isNear])
  return isNear
}

interface Shown {
  path: string
  rows: Row[]
  layout: Layout
}

function WholeTable({ path, rows, layout }: Shown) {
  const colours = useColours(path)
  return (
    <Table path={path} layout={layout}>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows of one change never move
        <DiffRow key={index} row={row} colours={colours} />
      ))}
    </Table>
  )
}

function LongTable({ path, rows, layout }: Shown) {
  const colours: Colours = useColours(path)
  const region = useRef<HTMLElement>(null)
  const seen = useVirtualizer({
    count: rows.length,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 30,
  })
  // What a hunk is gone to for is in sight only after the next drawing.
  const [wanted, setWanted] = useState<number | null>(null)
  useEffect(() => {
    const row =
      wanted === null ? null : region.current!.querySelector<HTMLElement>(`[data-index="${wanted}"]`)
    if (!row) return
    setWanted(null)
    goTo(row)
  })
  useEffect(() => {
    const table = region.current!
    const step = (event: Event) => {
      const { by } = (event as HunkStep).detail
      const focused = document.activeElement?.closest<HTMLElement>('[data-index]')
      const here = focused ? Number(focused.dataset.index) : (seen.range?.startIndex ?? 0)
      const isHead = (row: Row, index: number) => 'head' in row && (by > 0 ? index > here : index < here)
      const next = by > 0 ? rows.findIndex(isHead) : rows.findLastIndex(isHead)
      if (next < 0) return
      event.preventDefault()
      seen.scrollToIndex(next, { align: 'center' })
      setWanted(next)
    }
    table.addEventListener(hunkStep, step)
    return () => table.removeEventListener(hunkStep, step)
  }, [rows, seen])
  const items = seen.getVirtualItems()
  const above = items[0]?.start ?? 0
  const below = seen.getTotalSize() - (items.at(-1)?.end ?? 0)
  return (
    <section
      ref={region}
      data-long
      aria-label={`Lines of ${path}`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="max-h-[80vh] overflow-y-auto -outline-offset-2!"
    >
      <Table path={path} layout={layout} count={rows.length}>
        <tr style={{ height: above }} />
        {items.map(({ index }) => (
          <DiffRow
            key={index}
            row={rows[index]!}
            colours={colours}
            index={index}
            measure={seen.measureElement}
          />
        ))}
        <tr style={{ height: below }} />
      </Table>
    </section>
  )
}

const isProse = /\.(md|mdx|markdown|rst|txt)$/i

interface TableProps {
  path: string
  layout: Layout
  /** Where not all of its rows are there. */
  count?: number
  children: ReactNode
}

/** Arrows go from line to line once one has the focus. */
function walk(event: KeyboardEvent<HTMLTableElement>): void {
  const by = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : null
  if (by === null || !(event.target instanceof HTMLTableRowElement)) return
  event.preventDefault()
  stepLine(event.target, by)
}

const Table = ({ path, layout, count, children }: TableProps) => (
  <table
    onKeyDown={walk}
    aria-rowcount={count}
    // Code fills its lines to the edge; words of a text stay whole.
    className={`w-full table-fixed border-collapse font-mono text-xs ${isProse.test(path) ? 'wrap-anywhere' : 'break-all'}`}
  >
    <caption className="sr-only">Changed lines of {path}</caption>
    <Columns layout={layout} />
    <tbody>
      <PathShown value={path}>{children}</PathShown>
    </tbody>
  </table>
)
