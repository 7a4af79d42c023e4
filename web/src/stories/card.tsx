import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { useEffect, useRef } from 'react'
import { money } from '../browser/formats.ts'
import { Coded } from '../ui/coded.tsx'
import { Link } from '../ui/link.ts'
import { Time } from '../ui/time.tsx'
import { executors } from '../words/executors.ts'
import { LocalMark } from '../words/runs.tsx'
import { useBoard } from './board-use.ts'
import { useDraggable } from './dragging.ts'
import { isFollowed } from './following.ts'
import { HeldBy } from './held.tsx'
import { DraftMark, ExpediteMark, Readiness, RunMark, Size, WaitingMark } from './marks.tsx'
import { MoveMenu } from './move-menu.tsx'
import { type Underway, whyNotMoved } from './moves.ts'

const beforeWork = ['backlog', 'refining', 'ready']

/** Before the work begins it matters how ready a story is; afterwards, what its run is at. */
export const showsReadiness = ({ draft, column }: Pick<StoryRow, 'draft' | 'column'>) =>
  draft || beforeWork.includes(column.role)

export function Card({ story }: { story: Underway }) {
  const { run, waiting, isMoving } = story
  const { selected, isSelecting, toggle, dragged, takenWith } = useBoard()
  const [isSelected, isDragged] = [selected.has(story.key), dragged.some(({ key }) => key === story.key)]
  const held = whyNotMoved(story)
  const card = useRef<HTMLDivElement>(null)
  useDraggable(card, { mayDrag: !held && !isMoving, keys: () => takenWith(story.key) })
  const link = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    if (isFollowed(story.key)) link.current?.focus()
  }, [story.key])
  // A run that came to a good end says nothing that the column does not say.
  const showsRun = run && !waiting && (run.open || run.status !== 'succeeded') && story.column.role !== 'done'
  // Who is at it and what it costs matters while it goes on, and once it is done.
  const showsFacts = run && (run.open || story.column.role === 'done')
  return (
    <div
      ref={card}
      data-card={story.key}
      aria-busy={isMoving}
      className={`group rounded-lg border p-2.5 focus-within:border-accent hover:border-line-strong ${isSelected ? 'border-accent bg-selected' : 'bg-surface'} ${isMoving || isDragged ? 'opacity-60' : ''}`}
    >
      <div className="flex min-h-8 items-center justify-between gap-2">
        <span className="min-w-0 flex-1 font-mono text-xs text-muted">{story.key}</span>
        {/* In sight where they are needed: under the pointer, and with the focus. A finger has neither. */}
        <span className="opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 has-data-popup-open:opacity-100 pointer-coarse:opacity-100">
          <MoveMenu story={story} />
        </span>
        <label
          title={held || undefined}
          className={`-mr-2 size-8 shrink-0 items-center justify-center pointer-coarse:size-[44px] ${isSelecting ? 'flex' : 'flex opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 pointer-coarse:hidden'}`}
        >
          <input
            type="checkbox"
            aria-label={`Select ${story.key}`}
            data-select=""
            checked={isSelected}
            disabled={held !== false}
            onChange={() => toggle(story.key)}
            className="size-4 accent-(--accent-fill)"
          />
        </label>
      </div>
      <Link
        ref={link}
        to="/$ws/stories/$key"
        params={{ key: story.key }}
        // The card is what is dragged, not the address.
        draggable={false}
        dir="auto"
        className="line-clamp-4 rounded text-sm leading-snug font-medium break-words hover:underline"
      >
        <Coded text={story.title} />
      </Link>
      <div className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1 empty:hidden">
        <Size size={story.size} />
        {story.classOfService === 'expedite' && <ExpediteMark />}
        {story.draft && <DraftMark />}
        {showsReadiness(story) && <Readiness score={story.readinessScore} />}
        {showsRun && <RunMark run={run} />}
        {showsRun && run.local && <LocalMark local={run.local} />}
        <WaitingMark story={story} />
      </div>
      <p className="mt-1.5 flex flex-wrap gap-x-2 text-xs text-muted">
        {showsFacts && <span>{executors[run.executor]}</span>}
        {showsFacts && run.costCents > 0 && <span className="tabular-nums">{money(run.costCents)}</span>}
        <span title={showsFacts ? 'Since the run began' : 'Since the story was created'}>
          <Time at={showsFacts ? run.createdAt : story.createdAt} plain />
        </span>
      </p>
      <div className="mt-1.5 empty:hidden">
        <HeldBy story={story} />
      </div>
    </div>
  )
}
