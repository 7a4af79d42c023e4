import type { LucideIcon } from 'lucide-react'
import { usePages } from '../api/queries.ts'
import { More } from '../ui/more.tsx'
import { Empty, Loaded } from '../ui/page.tsx'
import { AlertsTable } from './alerts-table.tsx'

export function PagedAlerts({
  filter,
  of,
  icon,
  howToSee,
}: {
  filter: { source?: string; service?: string }
  of: 'service' | 'source'
  icon: LucideIcon
  /** For whoever wonders why there is none. */
  howToSee: string
}) {
  const alerts = usePages('sources.alerts', { ...filter, limit: 50 })
  return (
    <Loaded of={{ ...alerts, data: alerts.all }}>
      {(all) =>
        all.length === 0 ? (
          <Empty icon={icon} title="No alerts yet">
            {howToSee}
          </Empty>
        ) : (
          <>
            <AlertsTable alerts={all} of={of} />
            <More of={alerts}>Load more</More>
          </>
        )
      }
    </Loaded>
  )
}
