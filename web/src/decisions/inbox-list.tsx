import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import { InboxRow } from './inbox-row.tsx'

const stepsBy: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 8,
  PageUp: -8,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

/** The list: one stop for the tab key, arrows within. Only the rows in sight exist, and the selected one. */
export function InboxList({
  rows,
  selected,
  showStatus,
  focusRequest,
  onSelect,
  onMove,
  onOpen,
  onNearEnd,
}: {
  rows: readonly DecisionRow[]
  selected: string | null
  showStatus: boolean
  /** Grows whenever the selected row is to take the focus. */
  focusRequest: number
  onSelect: (key: string) => void
  onMove: (by: number) => void
  onOpen: (key: string) => void
  onNearEnd: () => void
}) {
  const scroller = useRef<HTMLDivElement>(null)
  const index = rows.findIndex(({ key }) => key === selected)
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 84,
    overscan: 6,
    // Its rows are in the first rendering, which is done in slices, and not only once it has been measured.
    initialRect: { width: innerWidth, height: innerHeight },
    getItemKey: (at) => rows[at]!.key,
    // The selected row stays, wherever the list is scrolled to: it holds the focus.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range)
      return index < 0 || shown.includes(index) ? shown : [...shown, index].toSorted((a, b) => a - b)
    },
  })
  const items = virtualizer.getVirtualItems()
  const last = items.at(-1)?.index ?? 0

  useLayoutEffect(() => {
    if (index >= 0) virtualizer.scrollToIndex(index, { align: 'auto' })
  }, [index, virtualizer])
  useEffect(() => {
    if (focusRequest === 0) return
    const row = scroller.current?.querySelector<HTMLElement>('[aria-selected="true"]')
    row?.focus({ preventScroll: true })
  }, [focusRequest])
  useEffect(() => {
    if (last >= rows.length - 10) onNearEnd()
  }, [last, rows.length, onNearEnd])

  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const by = stepsBy[event.key]
    if (by !== undefined) {
      event.preventDefault()
      onMove(by)
    } else if (event.key === 'Enter' && selected) {
      event.preventDefault()
      onOpen(selected)
    } else if (event.key === ' ') event.preventDefault()
  }

  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto">
      <div
        role="listbox"
        aria-label="Decisions"
        tabIndex={-1}
        onKeyDown={press}
        className="relative"
        style={{ height: virtualizer.getTotalSize() }}
      >
        {items.map((item) => {
          const decision = rows[item.index]!
          const isSelected = item.index === index
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list listens to the keys for all its rows
            <div
              key={item.key}
              ref={virtualizer.measureElement}
              data-index={item.index}
              role="option"
              aria-selected={isSelected}
              aria-setsize={rows.length}
              aria-posinset={item.index + 1}
              tabIndex={isSelected || (index < 0 && item.index === 0) ? 0 : -1}
              onClick={() => onSelect(decision.key)}
              className={`absolute inset-x-0 top-0 flex cursor-pointer flex-col border-b px-4 py-2.5 md:px-8 -outline-offset-2! ${isSelected ? 'bg-selected' : 'hover:bg-hover'}`}
              style={{ transform: `translateY(${item.start}px)` }}
            >
              <InboxRow decision={decision} showStatus={showStatus} />
            </div>
          )
        })}
      </div>
    </div>
  )
}
