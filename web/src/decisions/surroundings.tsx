import type { DecisionPage } from '@signalbox/contract/app/decisions.ts'
import { Link } from '@tanstack/react-router'
import { CheckCircle2, CircleDashed, type LucideIcon, XCircle } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWorkspace } from '../api/queries.ts'
import { PullRequest } from '../runs/pull-request.tsx'
import { Badge, type Tone } from '../ui/badge.tsx'
import { Spent } from '../ui/spent.tsx'
import { kinds, statuses } from '../words/decisions.ts'
import { statuses as runStatuses, stages } from '../words/runs.tsx'
import { Heading, type Level } from './heading.tsx'

const criterionStates: Record<
  DecisionPage['criteria'][number]['status'],
  { name: string; icon: LucideIcon; tone: Tone }
> = {
  passed: { name: 'Passed', icon: CheckCircle2, tone: 'ok' },
  failed: { name: 'Failed', icon: XCircle, tone: 'danger' },
  unverified: { name: 'Not verified', icon: CircleDashed, tone: 'neutral' },
}

/** What a decision stands in: its run, its story's criteria, and what the run asked besides. */
export function Surroundings({
  full,
  level,
  className = '',
}: {
  full: DecisionPage
  level: Level
  className?: string
}) {
  const { run, criteria, others, decision } = full
  if (!run && criteria.length === 0 && others.length === 0) return null
  return (
    <div className={`flex flex-col gap-5 ${className}`}>
      {run && (
        <Part title="Run" level={level}>
          <RunStrip run={run} />
        </Part>
      )}
      {criteria.length > 0 && (
        <Part title={`Acceptance criteria of ${decision.story?.key ?? 'the story'}`} level={level}>
          <ul className="flex flex-col gap-3">
            {criteria.map((criterion) => {
              const state = criterionStates[criterion.status]
              return (
                <li key={criterion.id} className="flex flex-col items-start gap-1 text-sm">
                  <span className="min-w-0 break-words">{criterion.text}</span>
                  <Badge tone={state.tone} icon={state.icon}>
                    {state.name}
                  </Badge>
                </li>
              )
            })}
          </ul>
        </Part>
      )}
      {others.length > 0 && (
        <Part title="Other decisions of this run" level={level}>
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
  const ws = useWorkspace()
  const state = runStatuses[run.status]
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-4 gap-y-1 text-sm [&_dd]:min-h-6 [&_dd]:content-center [&_dt]:text-muted">
      <dt>Key</dt>
      <dd>
        <Link to="/$ws/runs/$key" params={{ ws, key: run.key }} className="text-accent hover:underline">
          {run.key}
        </Link>
      </dd>
      <dt>State</dt>
      <dd>
        <Badge tone={state.tone} icon={state.icon}>
          {state.word}
        </Badge>
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
  const ws = useWorkspace()
  return (
    <ul className="flex flex-col gap-2">
      {others.map((other) => (
        <li key={other.key} className="text-sm">
          <Link
            to="/$ws/decisions/$key"
            params={{ ws, key: other.key }}
            className="font-medium break-words hover:underline"
          >
            {other.title}
          </Link>
          <div className="text-xs break-words text-muted">
            {kinds[other.kind].name} · {other.answer ? `“${other.answer}”` : statuses[other.status].name}
          </div>
        </li>
      ))}
    </ul>
  )
}
