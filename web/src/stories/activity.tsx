import type { StoryPage } from '@signalbox/contract/app/stories.ts'
import { Badge } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Section } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { kinds, statuses } from '../words/decisions.ts'
import { failures } from '../words/failures.ts'
import { costOf, LocalMark, stages } from '../words/runs.tsx'
import { RunMark } from './marks.tsx'

/** What has happened to the story: its runs and its decisions, newest first. */
export function StoryActivity({ story }: { story: StoryPage }) {
  return (
    <>
      <Section title="Runs" hint={story.runKeys.length > story.runs.length ? 'The newest 50.' : null}>
        {story.runs.length === 0 ? (
          <p className="text-sm text-muted">
            {story.draft
              ? 'No runs yet. Approve the draft to move it to Backlog.'
              : 'No runs yet. The team starts on it once it’s in Ready with a readiness of 100.'}
          </p>
        ) : (
          <ul className="divide-y rounded-lg border bg-surface text-sm">
            {story.runs.map((run) => (
              <li key={run.key} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-3 py-2">
                <KeyLink
                  to="run"
                  of={run.key}
                  className="font-mono text-xs font-medium text-accent hover:underline"
                />
                <RunMark run={run} />
                {run.local && <LocalMark local={run.local} />}
                <span className="text-xs text-muted">
                  {[
                    // Where a run stands says nothing more once it has come to a good end.
                    run.status !== 'succeeded' && stages[run.stage],
                    run.failureClass && failures[run.failureClass].word,
                    run.attempts > 1 && `${run.attempts} attempts`,
                  ]
                    .filter(Boolean)
                    .join(', ')}
                </span>
                <span className="ml-auto flex items-center gap-3 text-xs text-muted tabular-nums">
                  {costOf(run)}
                  <Time at={run.completedAt ?? run.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
      <Section title="Decisions">
        {story.decisions.length === 0 ? (
          <p className="text-sm text-muted">None yet</p>
        ) : (
          <ul className="divide-y rounded-lg border bg-surface text-sm">
            {story.decisions.map((decision) => (
              <li key={decision.key} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
                <div className="min-w-0 flex-1 basis-60">
                  <KeyLink
                    to="decision"
                    of={decision.key}
                    className="font-medium break-words hover:underline"
                  >
                    <bdi>
                      <Coded text={decision.title} />
                    </bdi>
                  </KeyLink>
                  <p className="text-xs text-muted">
                    {kinds[decision.kind].name} · <span className="font-mono">{decision.key}</span>
                  </p>
                </div>
                <Badge {...statuses[decision.status]} />
                <span className="text-xs text-muted">
                  <Time at={decision.resolvedAt ?? decision.createdAt} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Section>
    </>
  )
}
