import { useParams } from '@tanstack/react-router'
import { useRef } from 'react'
import { useRead } from '../api/queries.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Loaded } from '../ui/page.tsx'
import { Column } from './column.tsx'
import { StoryFilters, useStoryFilter } from './filters.tsx'
import { type Spot, step } from './moves.ts'
import { NoPolicy } from './no-policy.tsx'
import { NoStories } from './no-stories.tsx'
import { openColumns } from './open-columns.ts'

export function Board() {
  const { team } = useParams({ from: '/$ws/teams/$team/board' })
  const filter = useStoryFilter()
  const board = useRead('stories.board', { team, ...filter }, { keep: true })
  const columns = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  useShortcuts({
    j: { what: 'Next story', run: () => walk(columns.current, 'j') },
    k: { what: 'Previous story', run: () => walk(columns.current, 'k') },
    h: { what: 'Previous column', run: () => walk(columns.current, 'h') },
    l: { what: 'Next column', run: () => walk(columns.current, 'l') },
    m: { what: 'Move story', run: openMoveMenu },
    '/': { what: 'Filter stories', run: () => search.current?.focus() },
  })
  return (
    <>
      <NoPolicy team={team} />
      <StoryFilters inputRef={search} team={team} />
      <Loaded of={board}>
        {(found) => {
          if (found.every(({ total }) => total === 0)) return <NoStories team={team} />
          const open = openColumns(found)
          return (
            <>
              <p role="status" className="sr-only">
                {found.reduce((sum, { total }) => sum + total, 0)} stories
              </p>
              <section
                ref={columns}
                // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
                tabIndex={0}
                aria-label="Columns"
                className="relative flex flex-col gap-2 md:flex-row md:items-stretch md:overflow-x-auto md:pb-2"
              >
                {found.map((column) => (
                  <Column key={column.id} column={column} team={team} startsOpen={open.has(column.role)} />
                ))}
              </section>
            </>
          )
        }}
      </Loaded>
    </>
  )
}

/** The focus is the place: what the keyboard stands on is read from the page, so that nothing can disagree with it. */
function walk(board: HTMLElement | null, key: 'h' | 'j' | 'k' | 'l'): void {
  if (!board) return
  const columns = [...board.querySelectorAll('[data-column]')].map((column) =>
    // Cards of a closed column are not there for the keyboard either.
    [...column.querySelectorAll<HTMLElement>('[data-card] > a')].filter((link) => link.offsetParent !== null),
  )
  const focused = document.activeElement?.closest('[data-card]')?.querySelector(':scope > a')
  let from: Spot | null = null
  columns.forEach((links, column) => {
    const row = links.indexOf(focused as HTMLElement)
    if (row >= 0) from = { column, row }
  })
  const to = step(
    columns.map((links) => links.length),
    from,
    key,
  )
  if (to) columns[to.column]?.[to.row]?.focus()
}

function openMoveMenu(): void {
  document.activeElement?.closest('[data-card]')?.querySelector<HTMLElement>('[data-move]')?.click()
}
