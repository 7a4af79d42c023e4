import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { grouped } from '../browser/formats.ts'
import { stages } from '../words/runs.tsx'
import { LineText, toneClass } from './line-text.tsx'
import type { LogSection } from './log-sections.ts'

export const rowHeight = 20

interface Placed {
  /** Of the row, for what measures it. */
  index: number
  top: number
  /** Long lines are broken, so that rows are as high as they need. */
  wraps: boolean
  measure: (element: HTMLElement | null) => void
}

const placed = ({ index, top, wraps, measure }: Placed) => ({
  'data-index': index,
  ref: wraps ? measure : null,
  style: { transform: `translateY(${top}px)`, ...(wraps ? { minHeight: rowHeight } : { height: rowHeight }) },
})

/** One line, with its number as a link to it. */
export const LogRow = memo(function LogRow({
  position,
  text,
  colours,
  time,
  title,
  sought,
  isHere,
  address,
  onPick,
  ...place
}: Placed & {
  position: number
  text: string
  /** In which it was printed, if in any. */
  colours: string | undefined
  /** When it arrived: of the day, and in full. */
  time: string
  title: string
  /** What is searched for, if the line holds it. */
  sought: string
  isHere: boolean
  address: string
  onPick: (position: number) => void
}) {
  const { wraps } = place
  const background = isHere ? 'bg-selected' : 'bg-surface'
  return (
    <div
      {...placed(place)}
      className={`absolute top-0 left-0 flex font-mono text-xs leading-5 ${wraps ? 'w-full whitespace-pre-wrap' : 'w-max min-w-full whitespace-pre'} ${isHere ? 'bg-selected' : ''}`}
    >
      <span className={`sticky left-0 flex shrink-0 border-r select-none ${background}`}>
        <a
          href={address}
          aria-label={`Line ${position}`}
          tabIndex={-1}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return
            event.preventDefault()
            onPick(position)
          }}
          className="w-14 pr-2 text-right text-muted tabular-nums hover:text-text hover:underline"
        >
          {position}
        </a>
        <span title={title} className="w-17 text-muted tabular-nums max-sm:hidden">
          {time}
        </span>
      </span>
      <span
        className={`pr-4 pl-3 ${wraps ? 'min-w-0 flex-1 wrap-anywhere' : ''} ${toneClass(text, colours)}`}
      >
        <LineText {...{ text, colours, sought }} />
      </span>
    </div>
  )
})

/** The heading of a section, which folds it. */
export function SectionRow({
  section: { attempt, stage, first, last },
  isFolded,
  onFold,
  ...place
}: Placed & { section: LogSection; isFolded: boolean; onFold: (first: number) => void }) {
  return (
    <div {...placed(place)} className="absolute top-0 left-0 w-full">
      <button
        type="button"
        aria-expanded={!isFolded}
        onClick={() => onFold(first)}
        className="sticky left-0 flex h-5 w-full items-center gap-1.5 bg-hover px-2 text-left text-xs -outline-offset-2!"
      >
        <ChevronRight size={13} aria-hidden="true" className={isFolded ? '' : 'rotate-90'} />
        <span className="font-medium">
          Attempt {attempt}
          {stage && `, ${stages[stage].toLowerCase()}`}
        </span>
        <span className="text-muted tabular-nums">
          {last === first ? '1 line' : `${grouped(last - first + 1)} lines`}
        </span>
      </button>
    </div>
  )
}
