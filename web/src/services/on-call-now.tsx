import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { Moon, PhoneCall } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'
import { ago, dateOf, useMinute } from '../ui/time.tsx'
import { Tooltip } from '../ui/tooltip.tsx'

/** Whether somebody is on call by the hours of the service, and until when. */
export function OnCallNow({ onCall: { now, until } }: { onCall: ServiceRow['onCall'] }) {
  useMinute()
  return (
    <span className="flex flex-wrap items-center gap-x-2 max-md:justify-end">
      {now ? <Badge tone="ok" icon={PhoneCall} word="Yes" /> : <Badge icon={Moon} word="No" />}
      <span className="text-xs text-muted">
        {until === null ? (
          now ? (
            'always'
          ) : (
            'never'
          )
        ) : (
          <Tooltip text={dateOf(until)}>
            <time dateTime={until}>
              {now ? 'ends' : 'begins'} {ago(until)}
            </time>
          </Tooltip>
        )}
      </span>
    </span>
  )
}
