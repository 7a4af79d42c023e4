import type { DecisionPage } from '@signalbox/contract/app/decisions.ts'
import type { ReactNode } from 'react'
import { PullRequest } from '../runs/pull-request.tsx'
import { Badge } from '../ui/badge.tsx'
import { Coded } from '../ui/coded.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Spent } from '../ui/spent.tsx'
import { kinds, statuses } from '../words/decisions.ts'
import { statuses as runStatuses, stages } from '../words/runs.tsx'
import { criterionStates } from '../words/stories.ts'
import { Heading, type Level } from './heading.tsx'

interface Props {
  full: DecisionPage
  level: Level
  className?: string
}

/** Some decisions are about no run and no story. */
export const hasContext = ({ run, criteria, others }: DecisionPage): boolean =>
  run !== null || criteria.length > 0 || others.length > 0

/** The context of a decision: its run, its story's criteria, and what else the run asked. */
export function DecisionContext({ full, level, className = '' }: Props) {
  const { run, criteria, others, decision } = full
  if (!hasContext(full)) return null
  return (
    <div className={`flex flex-col gap-5 ${className}`}>
      {run && (
        <Part title="Run" level={level}>
          <RunStrip run={run} />
        </Part>
      )}
      {criteria.length > 0 && (
        <Part title={`Acceptance criteria for ${decision.story?.key ?? 'the story'}`} level={level}>
          <ul className="flex flex-col gap-3">
            {criteria.map(({ id, text, status }) => (
              <li key={id} className="flex flex-col items-start gap-1 text-sm">
                <Markdown text={text} />
                <Badge {...criterionStates[status]} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {others.length > 0 && (
        <Part title="Other decisions in this run" level={level}>
          <Others others={others} />
        </Part>
      )}
    </div>
  )
}

function Part({ title, level, children }: { title: string; level: Level; children: ReactNode }) {
  return (
    <section>
      <Heading level={level} className="mb-2">
        {title}
      </Heading>
      {children}
    </section>
  )
}

function RunStrip({ run }: { run: NonNullable<DecisionPage['run']> }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-sm [&_dd]:min-h-6 [&_dd]:content-center [&_dt]:text-muted">
      <dt>Key</dt>
      <dd>
        <KeyLink to="run" of={run.key} />
      </dd>
      <dt>Status</dt>
      <dd>
        <Badge {...runStatuses[run.status]} />
      </dd>
      <dt>Stage</dt>
      <dd>{stages[run.stage]}</dd>
      <dt>Attempt</dt>
      <dd>{run.attempts}</dd>
      <dt>Spent</dt>
      <dd>
        <Spent cents={run.costCents} ofCents={run.budgetCents} />
      </dd>
      {run.pullRequest && (
        <>
          <dt>Pull request</dt>
          <dd>
            <PullRequest {...run.pullRequest}>#{run.pullRequest.number}</PullRequest>
          </dd>
        </>
      )}
    </dl>
  )
}

function Others({ others }: { others: DecisionPage['others'] }) {
  return (
    <ul className="flex flex-col gap-2">
      {others.map((other) => (
        <li key={other.key} className="text-sm">
          <KeyLink to="decision" of={other.key} className="font-medium break-words hover:underline">
            <bdi>
              <Coded text={other.title} />
            </bdi>
          </KeyLink>
          <div className="text-xs break-words text-muted">
            {kinds[other.kind].name} · {other.answer ? `“${other.answer}”` : statuses[other.status].word}
          </div>
        </li>
      ))}
    </ul>
  )
}
