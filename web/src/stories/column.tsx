import type { BoardColumn } from '@signalbox/contract/app/stories.ts'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useIsNear } from '../browser/near.ts'
import { useIsAtLeast } from '../browser/screen-width.ts'
import { Link } from '../ui/link.ts'
import { useBoard } from './board-use.ts'
import { Cards, heightOf } from './cards.tsx'
import { useIsOver } from './dragging.ts'
import { whyNoneThere } from './moves.ts'

/** On a phone a column with more cards scrolls on its own, so that the next one can be reached. */
const longColumn = 25

interface Props {
  column: BoardColumn
  team: string
  /** On a phone. */
  startsOpen: boolean
}

/** A column of the board; on a phone a part that opens and closes, and has its cards once it is near. */
export function Column({ column, team, startsOpen }: Props) {
  const id = useId()
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? startsOpen
  const section = useRef<HTMLElement>(null)
  const isOver = useIsOver(section, column.role)
  const { dragged } = useBoard()
  const isLeft = dragged.length > 0 && dragged.every((story) => story.column.role === column.role)
  const refused = isOver && !isLeft && whyNoneThere(dragged, column.role)
  const outline = !isOver || isLeft ? '' : refused ? 'outline-danger outline-2' : 'outline-accent outline-2'
  const isWide = useIsAtLeast('md')
  const isNear = useIsNear(section)
  const beyond = column.total - column.stories.length
  const mostHeight = column.stories.length > longColumn ? 'max-md:max-h-[75dvh]' : ''
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <section
      ref={section}
      aria-labelledby={id}
      data-column={column.role}
      className={`flex min-w-0 flex-col rounded-lg bg-bg -outline-offset-2 md:max-h-[calc(100dvh-15rem)] md:min-h-60 md:min-w-44 md:flex-1 ${outline}`}
    >
      <h2 id={id} className="shrink-0 text-sm font-semibold">
        <span className="flex h-10 items-center gap-2 px-3 max-md:hidden">
          {column.name}
          <span className="font-normal text-muted tabular-nums">{column.total}</span>
        </span>
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setChosen(!open)}
          className="flex h-11 pointer-coarse:h-[44px] w-full items-center gap-2 rounded-lg px-3 text-left md:hidden"
        >
          <Chevron size={16} aria-hidden="true" className="text-muted" />
          <span className="flex-1">{column.name}</span>
          <span className="font-normal text-muted tabular-nums">{column.total}</span>
        </button>
      </h2>
      {refused && <p className="px-3 pb-2 text-xs text-danger">{refused}</p>}
      {isWide || (open && isNear) ? (
        <Cards
          stories={column.stories}
          className={`relative min-h-0 overflow-y-auto px-2 pb-2 ${mostHeight}`}
        >
          {column.stories.length === 0 && <p className="px-1 py-2 text-xs text-muted">No stories</p>}
          {beyond > 0 && (
            <Link
              to="/$ws/teams/$team/list"
              params={{ team }}
              search={true as never}
              className="block px-1 py-2 text-xs text-accent underline"
            >
              {beyond} more in the list
            </Link>
          )}
        </Cards>
      ) : (
        open && <div style={{ height: heightOf(column.stories.length) }} className={mostHeight} />
      )}
    </section>
  )
}
