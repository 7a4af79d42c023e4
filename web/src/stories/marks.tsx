import type { StoryRow } from '@signalbox/contract/app/stories.ts'
import { PencilLine, Zap } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { kinds } from '../words/decisions.ts'
import { type Stage, type Status, stages, statuses } from '../words/runs.tsx'

/** What the run of a story is at. */
export const RunMark = ({ run }: { run: { status: Status; stage: Stage } }) => (
  <Badge {...statuses[run.status]} title={`Stage: ${stages[run.stage]}`} />
)

/** The question that holds a story up, one click away. */
export function WaitingMark({
  story: { waiting, waitingFor },
}: {
  story: Pick<StoryRow, 'waiting' | 'waitingFor'>
}) {
  if (!waiting || !waitingFor) return null
  return (
    <KeyLink
      to="decision"
      of={waiting}
      title={statuses.waiting.word}
      className="inline-flex min-h-7 max-w-full items-center rounded hover:underline"
    >
      <Badge {...statuses.waiting} word={kinds[waitingFor].name} />
    </KeyLink>
  )
}

export const DraftMark = () => <Badge tone="accent" icon={PencilLine} word="Draft" />

export const ExpediteMark = () => <Badge tone="danger" icon={Zap} word="Expedite" />

/** How complete a story is: a meter and a number; at 100 a word. */
export function Readiness({ score }: { score: number }) {
  return (
    <span
      title={`Readiness: ${score} of 100`}
      className="inline-flex h-5 items-center gap-1.5 text-xs text-muted tabular-nums"
    >
      <span
        aria-hidden="true"
        className="h-1.5 w-10 overflow-hidden rounded-full bg-line forced-color-adjust-none"
      >
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
