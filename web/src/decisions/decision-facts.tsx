import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { Link } from '@tanstack/react-router'
import { Clock, Lock } from 'lucide-react'
import { useWorkspace } from '../api/queries.ts'
import { Badge } from '../ui/badge.tsx'
import { dateOf, Time, useMinute } from '../ui/time.tsx'
import { kinds, statuses } from '../words/decisions.ts'
import { authorityWords, expiryOf } from './wording.ts'

const link = 'inline-flex min-h-6 min-w-0 items-center text-accent hover:underline'

/** What a decision is and where it belongs, in a row or two. */
export function DecisionFacts({ decision }: { decision: DecisionRow }) {
  const ws = useWorkspace()
  const [kind, status] = [kinds[decision.kind], statuses[decision.status]]
  const { story, runKey, incident } = decision
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-1.5">
        <Badge icon={kind.icon}>{kind.name}</Badge>
        <Badge icon={status.icon} tone={status.tone}>
          {status.name}
        </Badge>
        {decision.authority !== 'member' && (
          <Badge icon={Lock} title="The least role that may answer">
            {authorityWords[decision.authority]}
          </Badge>
        )}
        <TimeLeft decision={decision} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted">
        <Link to="/$ws/teams/$team/board" params={{ ws, team: decision.team }} className={link}>
          {decision.team}
        </Link>
        {story && (
          <Link to="/$ws/stories/$key" params={{ ws, key: story.key }} className={link} title={story.title}>
            {story.key}
          </Link>
        )}
        {runKey && (
          <Link to="/$ws/runs/$key" params={{ ws, key: runKey }} className={link}>
            {runKey}
          </Link>
        )}
        {incident && (
          <Link to="/$ws/incidents/$key" params={{ ws, key: incident }} className={link}>
            {incident}
          </Link>
        )}
        <span className="inline-flex min-h-6 items-center gap-1">
          asked <Time at={decision.createdAt} />
        </span>
      </div>
    </div>
  )
}

function TimeLeft({ decision }: { decision: DecisionRow }) {
  useMinute()
  const expiry = decision.status === 'pending' ? expiryOf(decision.expiresAt, Date.now()) : null
  if (!expiry) return null
  return (
    <Badge
      icon={Clock}
      tone={expiry.isSoon ? 'warn' : 'neutral'}
      title={`Expires ${dateOf(decision.expiresAt!)}`}
    >
      {expiry.text}
    </Badge>
  )
}
