import type { RunRow } from '@signalbox/contract/app/runs.ts'
import { KeyLink } from '../ui/key-link.tsx'
import { Time } from '../ui/time.tsx'
import { isOver } from '../words/runs.tsx'

interface Props {
  run: Pick<RunRow, 'status' | 'reason' | 'stuckSince'>
  decision: string | null
}

/** Why a run does not move: the question it waits for, or what is in its way. */
export function Reason({ run, decision }: Props) {
  if (run.status === 'waiting' && decision)
    return (
      <KeyLink
        to="decision"
        of={decision}
        className="inline-flex min-h-6 items-center text-xs text-accent hover:underline"
      >
        Answer {decision}
      </KeyLink>
    )
  if (isOver(run.status) || !run.reason) return null
  return (
    <span className={`text-xs break-words ${run.stuckSince ? 'text-danger' : 'text-muted'}`}>
      {run.stuckSince && (
        <>
          Stuck since <Time at={run.stuckSince} />:{' '}
        </>
      )}
      {run.reason}
    </span>
  )
}
