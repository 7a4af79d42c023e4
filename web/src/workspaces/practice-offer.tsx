import type { PracticeObstacle } from '@signalbox/contract/app/practice.ts'
import { useNavigate } from '@tanstack/react-router'
import { useMay } from '../api/me.ts'
import { useRead, useWorkspace, useWrite } from '../api/queries.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { Copyable } from '../ui/copy.tsx'
import { Card, Link } from '../ui/page.tsx'
import { complain } from '../ui/toast.tsx'

/** One button that leads to a first merge, or back to where it was left. */
export function PracticeOffer() {
  const [ws, navigate, may] = [useWorkspace(), useNavigate(), useMay('admin')]
  const { data, refetch, isFetching } = useRead('practice.read', {})
  const start = useWrite('practice.start')
  if (!data) return null
  const open = () => void navigate({ to: '/$ws/practice', params: { ws } })
  return (
    <Card className="mb-4 flex flex-wrap items-center justify-between gap-3 p-4">
      <div className="min-w-0 flex-1 basis-64">
        <h2 className="font-semibold">See it work in two minutes</h2>
        <p className="mt-0.5 text-sm text-muted">
          A small repository, a scripted agent and a runner next to this server. You approve a plan, merge a
          change and revert it after an alert. No key and no set-up; remove it with one button.
        </p>
      </div>
      {data.project ? (
        <Link to={`/${ws}/practice` as never} className={buttonClass('primary')}>
          {data.project.step === 'done' ? 'Open the practice project' : 'Continue the practice project'}
        </Link>
      ) : data.obstacle ? (
        <Obstacle of={data.obstacle} busy={isFetching} onCheck={() => void refetch()} />
      ) : (
        <Button
          look="primary"
          busy={start.isPending}
          forbidden={!may && 'Only owners and admins can start a practice project'}
          onClick={() => start.mutate({}, { onSuccess: open, onError: complain })}
        >
          Try it with a practice project
        </Button>
      )}
    </Card>
  )
}

interface ObstacleProps {
  of: PracticeObstacle
  busy: boolean
  onCheck: () => void
}

/** What the server's machine lacks, instead of a button that would end there. */
const Obstacle = ({ of: { why, line }, busy, onCheck }: ObstacleProps) => (
  <div className="flex basis-full flex-col items-start gap-2 text-sm">
    <p>
      {why} {line && 'Install it there, then check again. '}
      <a href="/docs/box#get-it" target="_blank" rel="noopener" className="underline">
        See the manual
      </a>
    </p>
    {line && <Copyable text={line} label="Copy line" />}
    <Button busy={busy} onClick={onCheck}>
      Check again
    </Button>
  </div>
)
