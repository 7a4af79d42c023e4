import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import {
  lazy,
  Suspense,
  startTransition,
  useCallback,
  useDeferredValue,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { code } from '../api/code.ts'
import { useMay } from '../api/me.ts'
import { readAhead, useWorkspace } from '../api/queries.ts'
import { useIsAtLeast } from '../browser/screen-width.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Kbd } from '../ui/badge.tsx'
import { useGo } from '../ui/link.ts'
import { Skeleton, Unreadable, usePageTitle } from '../ui/page.tsx'
import { useAnswering } from './answering.ts'
import { InboxFilters, useInboxFilters } from './inbox-filters.tsx'
import { InboxList } from './inbox-list.tsx'
import { listInput } from './inbox-lists.ts'
import { useInboxRows } from './inbox-rows.ts'
import { useSelection } from './inbox-selection.ts'
import { afterAnswer, announcement, arrivals } from './selection.ts'
import { tellOutcome } from './tell-outcome.ts'

// Not while something waits.
const NothingHere = lazy(() => code(() => import('./inbox-empty.tsx')))

// Rarely there, and only for those who can change a policy.
const InboxSuggestions = lazy(() => code(() => import('./inbox-suggestions.tsx')))

/** A phone has no room for it, and opens a decision on a screen of its own. */
const InboxPane = lazy(() =>
  code(() => import('./inbox-pane.tsx')).then((pane) => ({ default: pane.InboxPane })),
)

/** The home screen: what waits for a person, and the answer to it. */
export function Inbox() {
  const [ws, navigate, isWide] = [useWorkspace(), useGo(), useIsAtLeast('lg')]
  const { status, team, kind, order } = useInboxFilters()
  const mayChange = useMay('admin')
  usePageTitle('Inbox')
  const list = useInboxRows(listInput({ status, team, kind }), order)
  const { rows } = list
  const isListed = useDeferredValue(rows.length > 0)
  const { selected, select, move, focus, focusRequest } = useSelection(rows, isWide)
  const heading = useRef<HTMLHeadingElement>(null)

  /** What was answered or put off leaves the list, and the next one is looked at. */
  const goOn = (key: string) => {
    if (status || selected !== key) return
    const next = afterAnswer(
      rows.map((row) => row.key),
      key,
    )
    select(next)
    if (next === null) heading.current?.focus()
  }
  const latest = useRef(goOn)
  latest.current = goOn
  const onSnoozed = useCallback((key: string) => latest.current(key), [])
  const answering = useAnswering((resolved) => {
    const { key, runKey } = resolved
    const there = runKey
      ? ({ to: '/$ws/runs/$key', params: { ws, key: runKey } } as const)
      : ({ to: '/$ws/decisions/$key', params: { ws, key } } as const)
    tellOutcome(resolved, () => void navigate(there))
    goOn(key)
  })
  const open = useCallback(
    (key: string) => void navigate({ to: '/$ws/decisions/$key', params: { key } }),
    [navigate],
  )
  useShortcuts({
    j: { what: 'Next decision', run: () => move(1) },
    k: { what: 'Previous decision', run: () => move(-1) },
    o: { what: 'Open full page', run: () => selected && open(selected) },
    u: { what: 'Back to list', run: focus },
  })

  const shown = useSettled(selected)
  const row = useMemo(() => rows.find(({ key }) => key === shown), [rows, shown])
  // Below the list, which is there first: nothing moves away under a finger.
  const suggestions = mayChange && !status && list.data && (
    <Suspense>
      <InboxSuggestions team={team} />
    </Suspense>
  )
  const next = isWide && row ? rows[rows.indexOf(row) + 1]?.key : undefined
  useEffect(() => {
    if (next) readAhead(ws, 'decisions.read', { key: next })
  }, [ws, next])
  return (
    <div className="flex h-[calc(100dvh-4rem)] min-h-0 md:h-dvh">
      <div className="flex w-full min-w-0 flex-col lg:w-[400px] lg:shrink-0 lg:border-r">
        <h1
          ref={heading}
          tabIndex={-1}
          className="px-4 pt-5 pb-2 md:px-8 md:pt-6 text-xl font-semibold tracking-tight outline-none"
        >
          Inbox
        </h1>
        <InboxFilters />
        <Announcements rows={rows} list={`${status}/${team}/${kind}`} isOn={!status} />
        {rows.length > 0 && isListed ? (
          <>
            <InboxList
              rows={rows}
              selected={selected}
              showStatus={status === 'all'}
              focusRequest={focusRequest}
              onSelect={isWide ? select : open}
              onMove={move}
              onOpen={open}
              onNearEnd={list.readMore}
            />
            {suggestions}
            <Legend />
          </>
        ) : (
          <div className="flex-1 overflow-y-auto p-4 md:px-8">
            {(list.data && rows.length === 0) || (team && list.error?.status === 404) ? (
              // A team that is no more has nothing that waits.
              <Suspense>
                <NothingHere status={status} isFiltered={Boolean(team || kind)} />
              </Suspense>
            ) : list.error ? (
              <Unreadable error={list.error} retry={() => void list.refetch()} />
            ) : (
              <Skeleton height="h-16" />
            )}
            {suggestions}
          </div>
        )}
      </div>
      {isWide &&
        (shown ? (
          <Suspense fallback={<PaneToCome />}>
            <InboxPane
              decisionKey={shown}
              row={row}
              answering={answering}
              leave={focus}
              onSnoozed={onSnoozed}
            />
          </Suspense>
        ) : (
          <div className="flex flex-1 items-center justify-center p-8 text-sm text-muted">
            {list.data && !selected && 'No decision selected.'}
          </div>
        ))}
    </div>
  )
}

const PaneToCome = () => (
  <div className="flex-1 px-8 pt-5">
    <Skeleton />
  </div>
)

/** Short enough for one press to feel immediate, longer than the pause between two when a key is held down. */
const settlesAfter = 50

/** What is selected once the keys rest, so that leafing through renders neither Markdown nor surroundings. */
function useSettled(selected: string | null): string | null {
  const [settled, setSettled] = useState(selected)
  useEffect(() => {
    const timer = setTimeout(() => startTransition(() => setSettled(selected)), settlesAfter)
    return () => clearTimeout(timer)
  }, [selected])
  return settled
}

/** Tells in bulk what has come in, and never takes the focus. */
function Announcements({ rows, list, isOn }: { rows: readonly DecisionRow[]; list: string; isOn: boolean }) {
  const [said, setSaid] = useState('')
  const before = useRef<{ list: string; newest: string | null; waiting: number }>({
    list,
    newest: null,
    waiting: 0,
  })
  useEffect(() => {
    if (before.current.list !== list) before.current = { list, newest: null, waiting: 0 }
    const { count, newest } = arrivals(before.current.newest, rows)
    before.current.newest = newest
    before.current.waiting += count
    if (!isOn || before.current.waiting === 0) return
    const timer = setTimeout(() => {
      setSaid(announcement(before.current.waiting))
      before.current.waiting = 0
    }, 1_000)
    return () => clearTimeout(timer)
  }, [rows, list, isOn])
  return (
    <p role="status" className="sr-only">
      {said}
    </p>
  )
}

const Legend = () => (
  <p className="hidden flex-wrap items-center gap-x-3 gap-y-1 border-t px-8 py-2 text-xs text-muted lg:flex">
    <span className="flex items-center gap-1">
      <Kbd>j</Kbd>
      <Kbd>k</Kbd> move
    </span>
    <span className="flex items-center gap-1">
      <Kbd>1</Kbd>–<Kbd>4</Kbd> choose
    </span>
    <span className="flex items-center gap-1">
      <Kbd>Enter</Kbd> send
    </span>
    <span className="flex items-center gap-1">
      <Kbd>n</Kbd> note
    </span>
  </p>
)
