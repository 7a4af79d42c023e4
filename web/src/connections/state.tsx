import type { ConnectionRow } from '@signalbox/contract/app/connections.ts'
import { Check, TriangleAlert, XCircle } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'

type Health = Pick<ConnectionRow, 'lastSuccessAt' | 'lastRefusalAt' | 'missing'>

/** Whether the last call was refused: what came after it counts. */
export const isRefused = ({ lastSuccessAt, lastRefusalAt }: Health): boolean =>
  lastRefusalAt !== null && (lastSuccessAt === null || lastRefusalAt > lastSuccessAt)

/** How a connection is doing, in a word. */
export function ConnectionState({ of }: { of: Health }) {
  if (isRefused(of)) return <Badge tone="danger" icon={XCircle} word="Not working" />
  if (of.missing.length > 0) return <Badge tone="warn" icon={TriangleAlert} word="Permission missing" />
  return <Badge tone="ok" icon={Check} word="Connected" />
}
