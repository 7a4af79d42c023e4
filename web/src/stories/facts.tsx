import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { toolNames } from '@signalbox/contract/connection-kinds.ts'
import { CircleDashed, UserRound } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Link } from '../ui/link.ts'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { classNames } from '../words/classes-of-service.ts'
import { spoken } from '../words/stories.ts'
import { Readiness } from './marks.tsx'
import { MirrorState } from './mirror.tsx'
import { promptFor } from './prompt.ts'
import { RaceAgents } from './race.tsx'
import { StoryRepositories } from './repositories.tsx'

/** As its makers write it; one that we don't know, as it is called. */
const trackerName = (platform: string): string =>
  (Object.entries(toolNames).find(([kind]) => kind === platform) ?? [platform, spoken(platform)])[1]

/** What is known about the story, beside it. */
export function StoryFacts({ story }: { story: StoryPage }) {
  return (
    <aside className="min-w-0">
      <Section title="Readiness">
        <Readiness score={story.readinessScore} />
        {story.missing.length > 0 && (
          <>
            <p className="mt-2 text-sm">Still missing:</p>
            <ul className="mt-1 flex flex-col gap-1">
              {story.missing.map((what) => (
                <li key={what} className="flex gap-2 text-sm text-muted">
                  <CircleDashed size={14} aria-hidden="true" className="mt-0.5 shrink-0" />
                  {what}
                </li>
              ))}
            </ul>
          </>
        )}
        <p className="mt-2 text-sm text-muted">
          {story.testPlan ? 'It has a test plan.' : 'It has no test plan. It can be ready without one.'}
        </p>
      </Section>
      <Section title="Details">
        <dl className="flex flex-col gap-2 text-sm">
          <Fact name="Column">{story.column.name}</Fact>
          <Fact name="Size">{story.size?.toUpperCase() ?? 'Not sized'}</Fact>
          <Fact name="Complexity">{story.complexity ? spoken(story.complexity) : 'Not rated'}</Fact>
          <Fact name="Class of service">{classNames[story.classOfService]}</Fact>
          {story.tracker && (
            <Fact name="Tracker">
              {trackerName(story.tracker.platform)} {story.tracker.key}
            </Fact>
          )}
          {story.mirror && (
            <Fact name="Issue">
              <MirrorState mirror={story.mirror} />
            </Fact>
          )}
          {story.requirement && (
            <Fact name="Requirement">
              <Link
                to="/$ws/intake/$slug"
                params={{ slug: story.requirement }}
                className="break-all text-accent underline"
              >
                {story.requirement}
              </Link>
            </Fact>
          )}
          <Fact name="Created">
            <Time at={story.createdAt} />
          </Fact>
          <Fact name="Updated">
            <Time at={story.updatedAt} />
          </Fact>
        </dl>
      </Section>
      <StoryRepositories story={story} />
      <RaceAgents story={story} />
      <Section title="Work on it locally" hint="A prompt for the coding agent on your own machine.">
        <BeginWork story={story} />
        <section
          aria-label="Prompt"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
          tabIndex={0}
          className="mb-2 max-h-60 overflow-auto rounded-md border bg-bg p-3"
        >
          <pre className="font-mono text-xs break-words whitespace-pre-wrap">{promptFor(story)}</pre>
        </section>
        <CopyButton text={promptFor(story)} label="Copy prompt" withWords />
      </Section>
    </aside>
  )
}

/** Takes the story out of the team's queue. A connected coding agent does the same. */
function BeginWork({ story }: { story: StoryPage }) {
  const begin = useAction('stories.begin', {
    alsoStale: ['runs', 'teams'],
    said: `${story.key} is yours for 24 hours after each report`,
  })
  const open = story.runs.find((run) => run.open)
  if (story.column.role !== 'ready' || story.draft || open) return null
  return (
    <Button
      className="mb-3"
      icon={<UserRound size={14} aria-hidden="true" />}
      {...begin.button({ key: story.key })}
    >
      Work on it yourself
    </Button>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="flex items-baseline justify-between gap-4">
    <dt className="shrink-0 text-muted">{name}</dt>
    <dd className="min-w-0 text-right break-words">{children}</dd>
  </div>
)
