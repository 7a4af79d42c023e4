import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { Clock, Lock } from 'lucide-react'
import { serverNow } from '../api/clock.ts'
import { dateOf } from '../browser/formats.ts'
import { Badge } from '../ui/badge.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Link } from '../ui/link.ts'
import { TeamName } from '../ui/team-name.tsx'
import { Time, useMinute } from '../ui/time.tsx'
import { kinds, statuses } from '../words/decisions.ts'
import { authorityWords, expiryOf } from './wording.ts'

const link = 'inline-flex min-h-6 min-w-0 items-center text-accent hover:underline'

/** What a decision is and where it belongs, in a row or two. */
export function DecisionFacts({ decision }: { decision: DecisionRow }) {
  const kind = kinds[decision.kind]
  const { story, runKey, incident } = decision
  return (
    <div className="flex flex-col gap-1.5">
      <div className="flex flex-wrap items-center gap-1.5">
        <Badge icon={kind.icon} word={kind.name} />
        <Badge {...statuses[decision.status]} />
        {decision.authority !== 'member' && (
          <Badge icon={Lock} title="Who can answer" word={authorityWords[decision.authority]} />
        )}
        <TimeLeft decision={decision} />
      </div>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-0.5 text-sm text-muted">
        <Link to="/$ws/teams/$team/board" params={{ team: decision.team }} className={link}>
          <TeamName of={decision.team} />
        </Link>
        {story && <KeyLink to="story" of={story.key} className={link} title={story.title} />}
        {runKey && <KeyLink to="run" of={runKey} className={link} />}
        {incident && <KeyLink to="incident" of={incident} className={link} />}
        <span className="inline-flex min-h-6 items-center gap-1">
          asked <Time at={decision.createdAt} />
        </span>
      </div>
    </div>
  )
}

function TimeLeft({ decision }: { decision: DecisionRow }) {
  useMinute()
  const expiry = decision.status === 'pending' ? expiryOf(decision.expiresAt, serverNow()) : null
  if (!expiry) return null
  return (
    <Badge
      icon={Clock}
      tone={expiry.isSoon ? 'warn' : 'neutral'}
      title={`Expires ${dateOf(decision.expiresAt!)}`}
      word={expiry.text}
    />
  )
}
