import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { ExternalLink } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { criterionStates } from '../words/stories.ts'
import { MirrorNotice } from './mirror.tsx'

/** Where it was sent back to, if it is still there. */
const isBefore = ({ column }: StoryPage) => column.role === 'backlog' || column.role === 'ready'

/** What the story says. */
export function StoryContent({ story }: { story: StoryPage }) {
  return (
    <>
      <MirrorNotice story={story} />
      {story.returnedNote && (
        <div className="mb-6 rounded-lg border bg-warn-soft p-3 text-sm">
          <p className="mb-1 font-semibold">Sent back to {isBefore(story) ? story.column.name : 'Backlog'}</p>
          <Markdown text={story.returnedNote} />
        </div>
      )}
      <Section title="Description" hint={story.tracker && <TrackerHint tracker={story.tracker} />}>
        {story.description ? (
          <Markdown text={story.description} />
        ) : (
          <p className="text-sm text-muted">No description.</p>
        )}
      </Section>
      <Section title="Acceptance criteria">
        {story.acceptanceCriteria.length === 0 ? (
          <p className="text-sm text-muted">
            No acceptance criteria yet. Edit the story to add at least two.
          </p>
        ) : (
          <ul className="divide-y rounded-lg border bg-surface">
            {story.acceptanceCriteria.map((criterion) => (
              <li
                key={criterion.id}
                className="flex items-start justify-between gap-x-4 gap-y-1 px-3 py-2 max-sm:flex-col"
              >
                <div className="min-w-0 text-sm">
                  <Markdown text={criterion.text} />
                </div>
                <span className="flex shrink-0 items-center gap-2 text-xs text-muted">
                  <Badge {...criterionStates[criterion.status]} />
                  {criterion.verifiedAt && <Time at={criterion.verifiedAt} />}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Demonstrate" hint="How to see that it works.">
        {story.demonstrate ? (
          <div className="rounded-lg border bg-surface px-3 py-2">
            <Markdown text={story.demonstrate} />
          </div>
        ) : (
          <p className="text-sm text-muted">Nothing here yet. A story needs this to be ready.</p>
        )}
      </Section>
      <Section title="Test plan" hint="Which cases to test, and how.">
        {story.testPlan ? (
          <div className="rounded-lg border bg-surface px-3 py-2">
            <Markdown text={story.testPlan} />
          </div>
        ) : (
          <p className="text-sm text-muted">None yet</p>
        )}
      </Section>
    </>
  )
}

export const TrackerHint = ({ tracker }: { tracker: NonNullable<StoryPage['tracker']> }) => (
  <>
    Title and description come from the tracker:{' '}
    <a
      href={/^https?:/.test(tracker.url) ? tracker.url : undefined}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex items-center gap-1 text-accent underline"
    >
      {tracker.key}
      <ExternalLink size={12} aria-hidden="true" />
    </a>
  </>
)
