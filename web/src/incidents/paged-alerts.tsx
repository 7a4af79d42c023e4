import type { LucideIcon } from 'lucide-react'
import { usePages } from '../api/queries.ts'
import { List } from '../ui/listed.tsx'
import { Empty } from '../ui/page.tsx'
import { AlertsTable } from './alerts-table.tsx'

interface Props {
  filter: { source?: string; service?: string }
  of: 'service' | 'source'
  icon: LucideIcon
  /** Says why there is none. */
  howToSee: string
}

export function PagedAlerts({ filter, of, icon, howToSee }: Props) {
  const alerts = usePages('sources.alerts', { ...filter, limit: 50 })
  const empty = (
    <Empty icon={icon} title="No alerts yet">
      {howToSee}
    </Empty>
  )
  return (
    <List of={alerts} empty={empty}>
      {(all) => <AlertsTable alerts={all} of={of} />}
    </List>
  )
}
