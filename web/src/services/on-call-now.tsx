import type { ServiceRow } from '@signalbox/contract/app/services.ts'
import { BellOff, Moon, PhoneCall } from 'lucide-react'
import { dateOf } from '../browser/formats.ts'
import { ago } from '../ui/ago.ts'
import { Badge } from '../ui/badge.tsx'
import { useMinute } from '../ui/time.tsx'
import { Tooltip } from '../ui/tooltip.tsx'

interface Props {
  /** The hours are shown beside it: that it is always so is not said twice. */
  briefly?: true
  service: Pick<ServiceRow, 'tellsNoOne' | 'onCall'>
}

/** Whether someone is on call by the hours of the service, and until when. */
export function OnCallNow({ service: { tellsNoOne, onCall }, briefly }: Props) {
  useMinute()
  const { now, until } = onCall
  if (tellsNoOne) return <Badge tone="danger" icon={BellOff} word="No one is notified" />
  return (
    <span className="inline-flex items-center gap-x-2">
      {now ? <Badge tone="ok" icon={PhoneCall} word="Yes" /> : <Badge icon={Moon} word="No" />}
      <span className="text-xs text-muted">
        {until === null ? (
          !briefly && (now ? 'always' : 'never')
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
