import type { RunRow } from '@signalbox/contract/app/runs.ts'
import { useWorkspace } from '../api/queries.ts'
import { Link } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { isOver } from '../words/runs.tsx'

/** Why a run does not move: the question it waits for, or what stands in its way. */
export function Reason({
  run,
  decision,
}: {
  run: Pick<RunRow, 'status' | 'reason' | 'stuckSince'>
  decision: string | null
}) {
  const ws = useWorkspace()
  if (run.status === 'waiting' && decision)
    return (
      <Link
        to="/$ws/decisions/$key"
        params={{ ws, key: decision }}
        className="inline-flex min-h-6 items-center text-xs text-accent hover:underline"
      >
        Answer {decision}
      </Link>
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
