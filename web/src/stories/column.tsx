import type { BoardColumn } from '@signalbox/contract/app/stories.ts'
import { ChevronDown, ChevronRight } from 'lucide-react'
import { useId, useState } from 'react'
import { Link } from '../ui/link.ts'
import { Card } from './card.tsx'

/** A column of the board; on a phone a part that opens and closes. */
export function Column({ column, team }: { column: BoardColumn; team: string }) {
  const id = useId()
  const [open, setOpen] = useState(column.role !== 'done' && column.role !== 'backlog')
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
          onClick={() => setOpen(!open)}
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
            {column.stories.map((story) => (
              <Card key={story.key} story={story} />
            ))}
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
