import type { TeamRow } from '@signalbox/contract/app/teams.ts'
import { CirclePause, CircleX, Play } from 'lucide-react'
import { useForbidden } from '../api/me.ts'
import { useAction } from '../ui/action.ts'
import { Button } from '../ui/button.tsx'
import { Time } from '../ui/time.tsx'

const box = 'mb-4 flex flex-wrap items-center gap-x-3 gap-y-2 rounded-lg border px-3 py-2 text-sm'

/** Says that nothing new starts, since when and why, and offers the way on. */
export function PausedBanner({ team, pause }: { team: string; pause: NonNullable<TeamRow['pause']> }) {
  return (
    <div role="status" className={`${box} bg-warn-soft`}>
      <CirclePause size={16} aria-hidden="true" className="shrink-0 text-warn" />
      <p className="min-w-0 flex-1 break-words">
        <strong className="font-semibold">Paused</strong> <Time at={pause.since} />
        {pause.by && ` by ${pause.by}`}
        {pause.reason && `: ${pause.reason}`}
        <span className="text-muted">
          {/[.!?]$/.test(pause.reason ?? '') ? ' ' : '. '}
          No new runs start. Current runs will finish.
        </span>
      </p>
      <ResumeButton team={team} />
    </div>
  )
}

export function ResumeButton({ team }: { team: string }) {
  const [forbidden, resume] = [
    useForbidden('pause and resume teams'),
    useAction('teams.resume', { said: 'Team resumed' }),
  ]
  return (
    <Button icon={<Play size={14} />} forbidden={forbidden} {...resume.button({ team })}>
      Resume
    </Button>
  )
}

export const MainIsRed = ({ since }: { since: string }) => (
  <div role="status" className={`${box} bg-danger-soft`}>
    <CircleX size={16} aria-hidden="true" className="shrink-0 text-danger" />
    <p className="min-w-0 flex-1">
      <strong className="font-semibold">The main branch is red</strong> since <Time at={since} />. Merges are
      on hold until it’s green.
    </p>
  </div>
)
