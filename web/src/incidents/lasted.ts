import type { IncidentListed } from '@signalbox/contract/incident.ts'
import { duration } from '../ui/time.tsx'

/** From the first alert until it was resolved; nothing while it is open. */
export const lasted = ({ openedAt, resolvedAt }: Pick<IncidentListed, 'openedAt' | 'resolvedAt'>): string =>
  resolvedAt === null ? '' : duration(Date.parse(resolvedAt) - Date.parse(openedAt))
