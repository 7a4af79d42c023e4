import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual'
import { type ReactNode, useRef } from 'react'
import { Card } from './card.tsx'
import { isAwaited } from './following.ts'

const [cardHeight, gap] = [124, 8]

/** About as high as so many cards are. */
export const heightOf = (cards: number): number => cards * (cardHeight + gap)

interface Props {
  stories: readonly StoryRow[]
  className: string
  /** What stands below them. */
  children: ReactNode
}

/** The cards of a column, which scroll. Only those in sight exist, the one with the focus, and the one that a person has moved here. */
export function Cards({ stories, className, children }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const focused = useRef<string | null>(null)
  const virtualizer = useVirtualizer({
    count: stories.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => cardHeight,
    gap,
    overscan: 4,
    // As in the inbox: what is in sight is in the first rendering.
    initialRect: { width: innerWidth, height: innerHeight },
    getItemKey: (at) => stories[at]!.key,
    rangeExtractor: (range) => {
      const shown = new Set(defaultRangeExtractor(range))
      stories.forEach(({ key }, at) => {
        if (key === focused.current || isAwaited(key)) shown.add(at)
      })
      return [...shown].toSorted((a, b) => a - b)
    },
  })
  return (
    <div ref={scroller} className={className}>
      {stories.length > 0 && (
        <ul
          className="relative"
          style={{ height: virtualizer.getTotalSize() }}
          onFocus={({ target }) => {
            focused.current = target.closest<HTMLElement>('[data-card]')?.dataset.card ?? null
          }}
          onBlur={() => {
            focused.current = null
          }}
        >
          {virtualizer.getVirtualItems().map(({ key, index, start }) => (
            <li
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              aria-setsize={stories.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              <Card story={stories[index]!} />
            </li>
          ))}
        </ul>
      )}
      {children}
    </div>
  )
}
