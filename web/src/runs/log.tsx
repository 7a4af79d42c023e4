import type { RunPage } from '@signalbox/contract/app/runs.ts'
import { useSearch } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDownToLine, ScrollText } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { dateOf } from '../browser/formats.ts'
import { Button } from '../ui/button.tsx'
import { useGo } from '../ui/link.ts'
import { Empty } from '../ui/page.tsx'
import { isOver } from '../words/runs.tsx'
import { LogBar } from './log-bar.tsx'
import { LogSearch } from './log-buffer.ts'
import { LogRow, rowHeight } from './log-row.tsx'
import { useLog } from './use-log.ts'

/** Of a run: what is searched for and the line that is shown stand in the address. */
export function Log({ detail: { run } }: { detail: RunPage }) {
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
      {...{ q, line }}
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

/** As it stands in an address. */
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
  addressOf: (position: number) => string
  onShow: (next: Shown) => void
}

/** What the workers printed, live. It follows the end until somebody scrolls up. */
export function LogView({ runKey, isEnded, q = '', line, addressOf, onShow: show }: Props) {
  const ws = useWorkspace()
  const { buffer, count, state } = useLog(ws, runKey, isEnded)
  const region = useRef<HTMLElement>(null)
  const here = line && /^\d{1,6}$/.test(line) ? Number(line) : null
  const [follows, setFollows] = useState(here === null)
  const lastTop = useRef(0)

  const search = useMemo(() => new LogSearch(q), [q])
  search.extend(buffer.lines)
  const rows = useVirtualizer({
    count,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 20,
  })

  const pick = useCallback(
    (position: number) => {
      setFollows(false)
      show({ line: position })
    },
    [show],
  )
  const step = (direction: 1 | -1) => {
    const next = search.next(here, direction)
    if (next !== null) pick(next)
  }

  // The line of the address, once it is there.
  const isThere = here !== null && here <= count
  useEffect(() => {
    if (isThere) rows.scrollToIndex(here - 1, { align: 'center' })
  }, [isThere, here, rows])

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

  const sought = search.text
  const titleOf = (position: number) => {
    const origin = buffer.originOf(position)
    return origin ? `Attempt ${origin.attempt}, ${dateOf(origin.at)}` : ''
  }
  return (
    <section aria-label="Log" className="overflow-hidden rounded-lg border bg-surface">
      <LogBar
        runKey={runKey}
        state={state}
        lines={count}
        q={q}
        found={search.found.length}
        at={here === null ? 0 : search.found.indexOf(here) + 1}
        onSearch={(text) => show({ q: text })}
        onStep={step}
      />
      <div className="relative">
        <section
          ref={region}
          aria-label="Log lines"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          onScroll={scrolled}
          className="h-[calc(100dvh-30rem)] min-h-64 overflow-auto overscroll-contain -outline-offset-2"
        >
          {count === 0 && state !== 'connecting' ? (
            <div className="p-4">
              <Empty icon={ScrollText} title={state === 'ended' ? 'No output' : 'No output yet'}>
                {state === 'ended' ? 'Nothing was logged.' : 'Output shows up here as it’s produced.'}
              </Empty>
            </div>
          ) : (
            <div className="relative w-full" style={{ height: rows.getTotalSize() }}>
              {rows.getVirtualItems().map(({ index, start }) => (
                <LogRow
                  key={index}
                  position={index + 1}
                  text={buffer.lines[index] ?? ''}
                  title={titleOf(index + 1)}
                  top={start}
                  sought={search.holds(index + 1) ? sought : ''}
                  isHere={here === index + 1}
                  address={addressOf(index + 1)}
                  onPick={pick}
                />
              ))}
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
