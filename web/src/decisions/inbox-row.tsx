import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { Clock } from 'lucide-react'
import { memo } from 'react'
import { serverNow } from '../api/clock.ts'
import { dateOf, money } from '../browser/formats.ts'
import { ago } from '../ui/ago.ts'
import { Coded } from '../ui/coded.tsx'
import { useTeamName } from '../ui/team-name.tsx'
import { useMinute } from '../ui/time.tsx'
import { kinds, statuses } from '../words/decisions.ts'
import { expiryOf } from './wording.ts'

/** A decision in the list. Plain text only: the row itself is what is pressed. */
export const InboxRow = memo(function InboxRow({
  decision,
  showStatus,
}: {
  decision: DecisionRow
  showStatus: boolean
}) {
  useMinute()
  const teamName = useTeamName()
  const { name, icon: Icon } = kinds[decision.kind]
  const status = statuses[decision.status]
  const isPending = decision.status === 'pending'
  const expiry = isPending ? expiryOf(decision.expiresAt, serverNow()) : null
  return (
    <>
      <span className="flex items-center gap-1.5 text-xs text-muted">
        <Icon size={13} aria-hidden="true" className="shrink-0" />
        <span className="min-w-0 flex-1 truncate">{name}</span>
        <span className="shrink-0 tabular-nums" title={`Asked ${dateOf(decision.createdAt)}`}>
          {ago(decision.createdAt)}
        </span>
      </span>
      <span dir="auto" className="mt-0.5 line-clamp-2 text-sm leading-snug font-medium break-words">
        <Coded text={decision.title} />
      </span>
      <span className="mt-1 flex items-center gap-2 text-xs text-muted">
        <span className="min-w-0 flex-1 truncate">
          {[
            decision.snoozedUntil && `Until ${dateOf(decision.snoozedUntil)}`,
            decision.story?.key,
            decision.incident,
            teamName(decision.team),
            isPending && decision.run ? `${money(decision.run.costCents)} spent` : null,
          ]
            .filter(Boolean)
            .join(' · ')}
        </span>
        {showStatus && !isPending && (
          <span className="flex shrink-0 items-center gap-1">
            <status.icon size={12} aria-hidden="true" />
            {status.word}
          </span>
        )}
        {expiry && (
          <span
            className={`flex shrink-0 items-center gap-1 tabular-nums ${expiry.isSoon ? 'font-medium text-warn' : ''}`}
          >
            <Clock size={12} aria-hidden="true" />
            {expiry.text}
          </span>
        )}
      </span>
    </>
  )
})
