import type { RunPage, Segment } from '@signalbox/contract/app/runs.ts'
import { useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine, ScrollText } from 'lucide-react'
import {
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import { useWorkspace } from '../api/queries.ts'
import { exactTime, moments } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { useGo } from '../ui/link.ts'
import { Empty } from '../ui/page.tsx'
import { isOver } from '../words/runs.tsx'
import { toneOf } from './line-tone.ts'
import { LogBar } from './log-bar.tsx'
import { LogMatches, LogSearch } from './log-buffer.ts'
import { LogRow, rowHeight, SectionRow } from './log-row.tsx'
import { LogRows, sectionsOf } from './log-sections.ts'
import { useLog } from './use-log.ts'

/** Of a run: what is searched for and the line that is shown are in the address. */
export function Log({ detail: { run, timeline } }: { detail: RunPage }) {
  const [ws, navigate] = [useWorkspace(), useGo()]
  const { q, line } = useSearch({ from: '/$ws/runs/$key' })
  const show = useCallback(
    (next: Shown) =>
      void navigate({
        to: '/$ws/runs/$key',
        params: { key: run.key },
        search: (before) => ({ ...shownAfter(before, next), tab: 'logs' }),
        replace: true,
        resetScroll: false,
      }),
    [navigate, run.key],
  )
  return (
    <LogView
      runKey={run.key}
      isEnded={isOver(run.status)}
      {...{ q, line, timeline }}
      addressOf={(position) => `/${ws}/runs/${run.key}?tab=logs&line=${position}`}
      onShow={show}
    />
  )
}

/** What of a log is to be shown next; left out: as before. */
interface Shown {
  q?: string
  line?: number
}

/** As it is in an address. */
export function shownAfter(
  before: { q?: string; line?: string },
  next: Shown,
): { q?: string; line?: string } {
  const q = next.q ?? before.q
  const line = next.line === undefined ? before.line : String(next.line)
  return { ...(line ? { line } : {}), ...(q ? { q } : {}) }
}

interface Props {
  runKey: string
  isEnded: boolean
  q: string | undefined
  line: string | undefined
  /** When which stage was worked on; left out: it has none. */
  timeline?: readonly Segment[]
  addressOf: (position: number) => string
  onShow: (next: Shown) => void
}

const none: Segment[] = []

/** A line of the address, or a range of them: `12`, `12-40`. */
function linesOf(line: string | undefined): [from: number | null, until: number] {
  const [, from, until = from] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(line ?? '') ?? []
  return [from ? Number(from) : null, Number(until)]
}

/** `09:40:17` */
const timeOfDay = (at: string): string =>
  moments('time', { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' }).format(
    new Date(at),
  )

/** What the workers printed, live. It follows the end until someone scrolls up. */
export function LogView({ runKey, isEnded, q = '', line, timeline = none, addressOf, onShow: show }: Props) {
  const ws = useWorkspace()
  const { buffer, count, state } = useLog(ws, runKey, isEnded)
  const region = useRef<HTMLElement>(null)
  const [here, until] = linesOf(line)
  const [follows, setFollows] = useState(here === null)
  const [wraps, setWraps] = useWraps()
  const [folded, setFolded] = useState<ReadonlySet<number>>(new Set())
  const lastTop = useRef(0)

  const search = useMemo(() => new LogSearch(q), [q])
  search.extend(buffer.lines)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another log has other errors
  const errors = useMemo(() => new LogMatches((text) => toneOf(text) === 'bad'), [buffer])
  errors.extend(buffer.lines)
  const shown = useMemo(
    () => new LogRows(sectionsOf(buffer.pieces, count, timeline), folded, count),
    [buffer, count, timeline, folded],
  )
  const rows = useVirtualizer({
    count: shown.count,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: broken lines are higher
  useEffect(() => rows.measure(), [wraps, rows])

  const fold = useCallback((first: number) => {
    setFollows(false)
    setFolded((before) => {
      const after = new Set(before)
      if (!after.delete(first)) after.add(first)
      return after
    })
  }, [])
  // A line that is gone to again is brought into sight again.
  const [picks, countPick] = useReducer((count: number) => count + 1, 0)
  const now = useRef(shown)
  now.current = shown
  const pick = useCallback(
    (position: number) => {
      setFollows(false)
      countPick()
      const around = now.current.sectionOf(position)
      if (around) setFolded((before) => new Set([...before].filter((first) => first !== around.first)))
      show({ line: position })
    },
    [show],
  )
  const stepIn = (matches: LogMatches, direction: 1 | -1) => {
    const next = matches.next(here, direction)
    if (next !== null) pick(next)
  }

  // The line of the address, once it is there.
  const isThere = here !== null && here <= count
  // biome-ignore lint/correctness/useExhaustiveDependencies: not each time that a section is folded
  useEffect(() => {
    if (isThere) rows.scrollToIndex(shown.indexOf(here), { align: until > here ? 'start' : 'center' })
  }, [here, isThere, picks, rows])

  // biome-ignore lint/correctness/useExhaustiveDependencies: every new line moves the end
  useLayoutEffect(() => {
    const element = region.current
    if (follows && element) element.scrollTop = element.scrollHeight
  }, [count, follows])

  const scrolled = () => {
    const element = region.current
    if (!element) return
    const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight < rowHeight
    if (isAtEnd && state !== 'ended') setFollows(true)
    // Only scrolling up means staying there; the end also moves away on its own.
    else if (!isAtEnd && element.scrollTop < lastTop.current - 2) setFollows(false)
    lastTop.current = element.scrollTop
  }

  const height = useRestOfPage(region)
  return (
    <section aria-label="Log" className="overflow-hidden rounded-lg border bg-surface">
      <LogBar
        runKey={runKey}
        state={state}
        lines={count}
        q={q}
        found={search.found.length}
        at={here === null ? 0 : search.found.indexOf(here) + 1}
        errors={errors.found.length}
        onFirstError={() => pick(errors.found[0]!)}
        wraps={wraps}
        onWrap={setWraps}
        onSearch={(text) => show({ q: text })}
        onStep={(direction) => stepIn(search, direction)}
        onError={(direction) => stepIn(errors, direction)}
      />
      <div className="relative">
        <section
          ref={region}
          aria-label="Log lines"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={scrolled}
          style={{ height }}
          className="overflow-auto overscroll-contain -outline-offset-2"
        >
          {count === 0 && state !== 'connecting' ? (
            <div className="p-4">
              <Empty icon={ScrollText} title={state === 'ended' ? 'No output' : 'No output yet'}>
                {state === 'ended' ? 'Nothing was logged.' : 'Output shows up here as it’s produced.'}
              </Empty>
            </div>
          ) : (
            <div className="relative w-full" style={{ height: rows.getTotalSize() }}>
              {rows.getVirtualItems().map(({ index, start }) => {
                const row = shown.at(index)
                const place = { index, top: start, wraps, measure: rows.measureElement }
                if ('section' in row)
                  return <SectionRow key={`s${row.section.first}`} {...place} {...row} onFold={fold} />
                const { position } = row
                const at = buffer.originOf(position)?.at ?? ''
                return (
                  <LogRow
                    key={position}
                    {...place}
                    position={position}
                    text={buffer.lines[position - 1] ?? ''}
                    colours={buffer.colours.get(position)}
                    time={at && timeOfDay(at)}
                    title={at && exactTime(at)}
                    sought={search.holds(position) ? search.text : ''}
                    isHere={here !== null && here <= position && position <= until}
                    address={addressOf(position)}
                    onPick={pick}
                  />
                )
              })}
            </div>
          )}
        </section>
        {!follows && count > 0 && state !== 'ended' && (
          <Button
            size="small"
            className="absolute right-4 bottom-4 shadow-pop"
            icon={<ArrowDownToLine size={14} aria-hidden="true" />}
            onClick={() => setFollows(true)}
          >
            Jump to latest
          </Button>
        )}
      </div>
    </section>
  )
}

const wrapsKey = 'signalbox.log-wraps'

/** Whether long lines are broken, as chosen last in this browser; on a phone they are. */
function useWraps(): [boolean, (wraps: boolean) => void] {
  const [wraps, setWraps] = useState(() => {
    const chosen = localStorage.getItem(wrapsKey)
    return chosen === null ? window.innerWidth < 640 : chosen === 'yes'
  })
  return [
    wraps,
    (next) => {
      localStorage.setItem(wrapsKey, next ? 'yes' : 'no')
      setWraps(next)
    },
  ]
}

/** Beneath it: the padding of the page, and on a phone the bar. */
const below = { wide: 26, narrow: 90 }
const leastHeight = 320

/** From where an element begins to the end of the window; where little is left, most of the window. */
function useRestOfPage(of: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(leastHeight)
  useLayoutEffect(() => {
    const measure = () => {
      const top = of.current!.getBoundingClientRect().top + window.scrollY
      const rest = window.innerHeight - top - (window.innerWidth < 768 ? below.narrow : below.wide)
      setHeight(Math.max(rest, leastHeight, Math.round(window.innerHeight * 0.6)))
    }
    measure()
    // What is above may fold.
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [of])
  return height
}
