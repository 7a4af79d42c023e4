import { memo } from 'react'
import { cutAt } from './log-buffer.ts'

export const rowHeight = 20

/** One line, with its number as a link to it. */
export const LogRow = memo(function LogRow({
  position,
  text,
  title,
  top,
  sought,
  isHere,
  address,
  onPick,
}: {
  position: number
  text: string
  /** When it was printed. */
  title: string
  top: number
  /** What is searched for, if the line holds it. */
  sought: string
  isHere: boolean
  address: string
  onPick: (position: number) => void
}) {
  return (
    <div
      title={title}
      style={{ transform: `translateY(${top}px)`, height: rowHeight }}
      className={`absolute top-0 left-0 flex w-max min-w-full font-mono text-xs leading-5 whitespace-pre ${isHere ? 'bg-selected' : ''}`}
    >
      <a
        href={address}
        aria-label={`Line ${position}`}
        tabIndex={-1}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return
          event.preventDefault()
          onPick(position)
        }}
        className={`sticky left-0 w-14 shrink-0 border-r pr-2 text-right text-muted tabular-nums select-none hover:text-text hover:underline ${isHere ? 'bg-selected' : 'bg-surface'}`}
      >
        {position}
      </a>
      <span className="pr-4 pl-3">
        {sought
          ? cutAt(text, sought).map((part, index) =>
              index % 2 === 1 ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: parts of one line never move
                <mark key={index} className="rounded-xs bg-warn-soft text-text outline outline-warn">
                  {part}
                </mark>
              ) : (
                part
              ),
            )
          : text}
      </span>
    </div>
  )
})
