import type { BoardColumn, StoryRow } from '@signalbox/contract/app/stories.ts'
import type { ViewFilter } from '@signalbox/contract/app/views.ts'
import { useParams, useSearch } from '@tanstack/react-router'
import { SquareCheck } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { counted } from '../browser/formats.ts'
import { useShortcuts } from '../browser/shortcuts.ts'
import { Button } from '../ui/button.tsx'
import { Choice } from '../ui/choice.tsx'
import { useSetFilter } from '../ui/filters.tsx'
import { Loaded } from '../ui/page.tsx'
import { columnNames } from '../words/stories.ts'
import { useSelection } from './board-selection.ts'
import { Board as AroundCards } from './board-use.ts'
import { Column } from './column.tsx'
import { useDrags } from './dragging.ts'
import { StoryFilters, useStoryFilter } from './filters.tsx'
import { type Spot, step, whyNoneThere } from './moves.ts'
import { useMoving } from './moving.ts'
import { NoPolicy } from './no-policy.tsx'
import { NoStories } from './no-stories.tsx'
import { openColumns } from './open-columns.ts'
import { SelectionBar } from './selection-bar.tsx'
import { Views } from './views.tsx'

const sorts = { updated: 'Recently updated', newest: 'Newest first', readiness: 'Most ready first' }

export function Board() {
  const { team } = useParams({ from: '/$ws/teams/$team/board' })
  const [filter, setFilter] = [useBoardFilter(), useSetFilter()]
  const board = useRead('stories.board', { team, ...filter }, { keep: true })
  const selection = useSelection(board.data)
  const { selected, isSelecting, toggle, clear } = selection
  const move = useMoving()
  const { dragged, said } = useAnnouncedDrags(board.data, (keys, to) => {
    clear()
    void move(keys, to)
  })
  const columns = useRef<HTMLDivElement>(null)
  const search = useRef<HTMLInputElement>(null)
  useShortcuts({
    j: { what: 'Next story', run: () => walk(columns.current, 'j') },
    k: { what: 'Previous story', run: () => walk(columns.current, 'k') },
    h: { what: 'Previous column', run: () => walk(columns.current, 'h') },
    l: { what: 'Next column', run: () => walk(columns.current, 'l') },
    m: { what: 'Move story', run: () => pressInCard('[data-move]') },
    x: { what: 'Select story', run: () => pressInCard('[data-select]') },
    Escape: { what: 'Cancel selection', run: clear },
    '/': { what: 'Filter stories', run: () => search.current?.focus() },
  })
  const use = useMemo(
    () => ({
      ...{ selected, isSelecting, toggle, dragged },
      takenWith: (key: string) => (selected.has(key) ? [...selected] : [key]),
    }),
    [selected, isSelecting, toggle, dragged],
  )
  return (
    <>
      <NoPolicy team={team} />
      <StoryFilters inputRef={search} team={team}>
        <Choice
          label="Sort"
          none="Next up first"
          of={sorts}
          value={filter.sort ?? ''}
          onChange={(sort) => setFilter({ sort: sort || undefined })}
          className="w-40! max-sm:grow"
        />
        <Views team={team} filter={filter} />
        <Button
          icon={<SquareCheck size={14} />}
          aria-pressed={isSelecting}
          className="aria-pressed:bg-selected!"
          onClick={isSelecting ? clear : selection.begin}
        >
          <span className="max-sm:sr-only">Select</span>
        </Button>
      </StoryFilters>
      <p role="status" data-drag="" className="sr-only">
        {said}
      </p>
      <Loaded of={board} inSlices>
        {(found) => {
          if (found.every(({ total }) => total === 0)) return <NoStories team={team} />
          const open = openColumns(found)
          return (
            <AroundCards value={use}>
              <p role="status" className="sr-only">
                {counted(
                  found.reduce((sum, { total }) => sum + total, 0),
                  'story',
                  'stories',
                )}
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
              {isSelecting && (
                <SelectionBar
                  stories={among(found, [...selected])}
                  onClear={clear}
                  onMove={(to) => {
                    clear()
                    void move([...selected], to)
                  }}
                />
              )}
            </AroundCards>
          )
        }}
      </Loaded>
    </>
  )
}

function useBoardFilter(): ViewFilter {
  const filter = useStoryFilter()
  const { sort } = useSearch({ strict: false }) as { sort?: string }
  return sort && Object.hasOwn(sorts, sort) ? { ...filter, sort: sort as keyof typeof sorts } : filter
}

/** What is dragged, and what is said of it to those who listen to the screen. */
function useAnnouncedDrags(
  columns: readonly BoardColumn[] | undefined,
  onMove: (keys: string[], to: StoryRow['column']['role']) => void,
) {
  const [dragged, setDragged] = useState<readonly StoryRow[]>([])
  const [said, setSaid] = useState('')
  const named = (stories: readonly StoryRow[]) =>
    stories.length === 1 ? stories[0]!.key : `${stories.length} stories`
  useDrags({
    onStart: (keys) => {
      const stories = among(columns, keys)
      setDragged(stories)
      setSaid(`${named(stories)} picked up`)
    },
    onOver: (keys, role) => {
      if (!role) return setSaid('Not over a column')
      const refused = whyNoneThere(among(columns, keys), role)
      setSaid(refused ? `Over ${columnNames[role]}: ${refused}` : `Over ${columnNames[role]}`)
    },
    onDrop: (keys, role) => {
      const stories = among(columns, keys)
      setDragged([])
      const refused = role ? whyNoneThere(stories, role) : 'It wasn’t dropped on a column'
      if (!role || refused) return setSaid(`${named(stories)} not moved: ${refused}`)
      setSaid(`${named(stories)} dropped on ${columnNames[role]}`)
      onMove(keys, role)
    },
  })
  return { dragged, said }
}

const among = (columns: readonly BoardColumn[] | undefined, keys: readonly string[]): StoryRow[] =>
  (columns ?? []).flatMap(({ stories }) => stories).filter(({ key }) => keys.includes(key))

/** The focus is the place: where the keyboard is, is read from the page, so that nothing can disagree with it. */
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

/** Presses something in the card that has the focus. */
function pressInCard(what: string): void {
  document.activeElement?.closest('[data-card]')?.querySelector<HTMLElement>(what)?.click()
}
