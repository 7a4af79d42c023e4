import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { Link } from '@tanstack/react-router'
import { PencilLine, Zap } from 'lucide-react'
import { useWorkspace } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { type Stage, type Status, stages, statuses } from '../words/runs.tsx'

/** What the run of a story is at. */
export function RunMark({ run }: { run: { status: Status; stage: Stage } }) {
  const { tone, icon, word } = statuses[run.status]
  return (
    <Badge tone={tone} icon={icon} title={`Stage: ${stages[run.stage]}`}>
      {word}
    </Badge>
  )
}

/** The question that holds a story up, one click away. */
export function WaitingMark({ decision }: { decision: string }) {
  const ws = useWorkspace()
  return (
    <Link
      to="/$ws/decisions/$key"
      params={{ ws, key: decision }}
      className="inline-flex min-h-7 max-w-full items-center rounded hover:underline"
    >
      <Badge tone={statuses.waiting.tone} icon={statuses.waiting.icon}>
        {statuses.waiting.word}
      </Badge>
    </Link>
  )
}

export const DraftMark = () => (
  <Badge tone="accent" icon={PencilLine}>
    Draft
  </Badge>
)

export const ExpediteMark = () => (
  <Badge tone="danger" icon={Zap}>
    Expedite
  </Badge>
)

/** How complete a story is: a meter and a number; at 100 a word. */
export function Readiness({ score }: { score: number }) {
  return (
    <span
      title={`Readiness: ${score} of 100`}
      className="inline-flex h-5 items-center gap-1.5 text-xs text-muted tabular-nums"
    >
      <span aria-hidden="true" className="h-1.5 w-10 overflow-hidden rounded-full bg-line">
        <span
          className={`block h-full rounded-full ${score === 100 ? 'bg-ok' : 'bg-warn'}`}
          style={{ width: `${score}%` }}
        />
      </span>
      <span className="sr-only">Readiness: </span>
      {score === 100 ? 'Ready' : `${score} of 100`}
    </span>
  )
}

export const Size = ({ size }: { size: StoryRow['size'] }) =>
  size === null ? null : (
    <span
      title={`Size ${size.toUpperCase()}`}
      className="inline-flex h-5 min-w-5 items-center justify-center rounded border px-1 text-2xs font-medium text-muted"
    >
      <span className="sr-only">Size </span>
      {size.toUpperCase()}
    </span>
  )
