import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { useParams } from '@tanstack/react-router'
import { usePages } from '../api/queries.ts'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Listed } from '../ui/listed.tsx'
import type { Column } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { showsReadiness } from './card.tsx'
import { StoryFilters, useStoryFilter } from './filters.tsx'
import { HeldBy } from './held.tsx'
import { DraftMark, ExpediteMark, Readiness, RunMark, Size, WaitingMark } from './marks.tsx'
import { MoveMenu } from './move-menu.tsx'
import { NoPolicy } from './no-policy.tsx'
import { NoStories } from './no-stories.tsx'

const columns: Column<StoryRow>[] = [
  {
    title: 'Story',
    className: 'md:w-2/5',
    cell: (story) => (
      <div>
        <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
          <span className="font-mono text-xs text-muted">{story.key}</span>
          {story.draft && <DraftMark />}
          {story.classOfService === 'expedite' && <ExpediteMark />}
        </div>
        <KeyLink to="story" of={story.key} className="font-medium wrap-anywhere hover:underline">
          <bdi>
            <Coded text={story.title} />
          </bdi>
        </KeyLink>
      </div>
    ),
  },
  {
    title: 'Column',
    card: 'state',
    cell: (story) => <span className="whitespace-nowrap">{story.column.name}</span>,
  },
  { title: 'Size', wideOnly: true, cell: (story) => (story.size ? <Size size={story.size} /> : null) },
  {
    title: 'Readiness',
    cell: (story) => (showsReadiness(story) ? <Readiness score={story.readinessScore} /> : null),
  },
  {
    title: 'Run',
    cell: (story) =>
      story.waiting ? (
        <WaitingMark story={story} />
      ) : story.run ? (
        <KeyLink to="run" of={story.run.key} className="inline-flex min-h-7 items-center">
          <RunMark run={story.run} />
        </KeyLink>
      ) : story.heldBy.length > 0 ? (
        <HeldBy story={story} />
      ) : null,
  },
  { title: 'Updated', right: true, cell: (story) => <Time at={story.updatedAt} /> },
  { title: 'Move', right: true, wideOnly: true, cell: (story) => <MoveMenu story={story} /> },
]

export function StoryList() {
  const { team } = useParams({ from: '/$ws/teams/$team/list' })
  const filter = useStoryFilter()
  const pages = usePages('stories.list', { team, ...filter, limit: 50 })
  return (
    <>
      <NoPolicy team={team} />
      <StoryFilters team={team} />
      <Listed
        of={pages}
        empty={<NoStories team={team} />}
        caption="Stories"
        columns={columns}
        keyOf={({ key }) => key}
      />
    </>
  )
}
