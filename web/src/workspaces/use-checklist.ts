import type { Checklist } from '@signalbox/contract/app/workspaces.ts'
import { useRead } from '../api/queries.ts'

/** The first steps, while they should still be offered. */
export function useChecklist(): Checklist | null {
  const { data } = useRead('workspaces.checklist', {})
  return data && !data.putAway && Object.values(data.done).includes(false) ? data : null
}
