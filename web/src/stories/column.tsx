import type { BoardColumn } from '@signalbox/contract/app/stories.ts'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import { Link } from '../ui/link.ts'
import { Card } from './card.tsx'
import { isAwaited } from './following.ts'

/** As many cards are drawn at first, and more each time the end of them comes near. */
const cardsAtOnce = 25

interface Props {
  column: BoardColumn
  team: string
  /** On a phone. */
  startsOpen: boolean
}

/** A column of the board; on a phone a part that opens and closes. */
export function Column({ column, team, startsOpen }: Props) {
  const id = useId()
  const [chosen, setChosen] = useState<boolean | null>(null)
  const open = chosen ?? startsOpen
  const [drawn, drawMore] = useDrawn(column.stories)
  const beyond = column.total - column.stories.length
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <section
      aria-labelledby={id}
      data-column={column.role}
      className="flex min-w-0 flex-col rounded-lg bg-bg md:max-h-[calc(100dvh-15rem)] md:min-h-60 md:min-w-44 md:flex-1"
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
          className="flex h-11 w-full items-center gap-2 rounded-lg px-3 text-left md:hidden"
        >
          <Chevron size={16} aria-hidden="true" className="text-muted" />
          <span className="flex-1">{column.name}</span>
          <span className="font-normal text-muted tabular-nums">{column.total}</span>
        </button>
      </h2>
      <div className={`relative min-h-0 overflow-y-auto px-2 pb-2 ${open ? '' : 'max-md:hidden'}`}>
        {column.stories.length === 0 ? (
          <p className="px-1 py-2 text-xs text-muted">No stories</p>
        ) : (
          <ul className="flex flex-col gap-2">
            {column.stories.slice(0, drawn).map((story) => (
              <Card key={story.key} story={story} />
            ))}
            {drawn < column.stories.length && <End key={drawn} onNear={drawMore} />}
          </ul>
        )}
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
      </div>
    </section>
  )
}

/** How many cards are drawn: thousands would be a page that no phone can hold. A card that was moved here always is. */
function useDrawn(stories: BoardColumn['stories']): [number, () => void] {
  const [drawn, setDrawn] = useState(cardsAtOnce)
  const moved = stories.findIndex(({ key }) => isAwaited(key))
  return [Math.max(drawn, moved + 1), () => setDrawn((before) => before + cardsAtOnce)]
}

/** The end of what is drawn; says when it comes near. */
function End({ onNear }: { onNear: () => void }) {
  const end = useRef<HTMLLIElement>(null)
  const near = useRef(onNear)
  near.current = onNear
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry!.isIntersecting) near.current()
      },
      { rootMargin: '600px 0px', scrollMargin: '600px 0px' },
    )
    observer.observe(end.current!)
    return () => observer.disconnect()
  }, [])
  return <li ref={end} aria-hidden="true" className="h-24 shrink-0 animate-pulse rounded-lg bg-hover" />
}
