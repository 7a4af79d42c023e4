import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { CheckCircle2, Clock, PauseCircle, TriangleAlert, XCircle } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'

/** Whether a source listens, what its tool refuses, and what an uptime check has found. */
export function SourceState({
  source: { paused, updatesRefused, check, kind, lastDeliveryAt },
}: {
  source: SourceRow
}) {
  if (paused) return <Badge tone="warn" icon={PauseCircle} word="Paused" />
  if (updatesRefused.length > 0) return <Badge tone="danger" icon={XCircle} word="Refused" />
  if (kind === 'uptime') {
    if (!check?.lastAt) return <Badge icon={Clock} word="Not checked yet" />
    if (check.status === 'up' && check.failures > 0)
      return <Badge tone="warn" icon={TriangleAlert} word="Failing" />
    return check.status === 'up' ? (
      <Badge tone="ok" icon={CheckCircle2} word="Up" />
    ) : (
      <Badge tone="danger" icon={XCircle} word="Down" />
    )
  }
  return lastDeliveryAt ? (
    <Badge tone="ok" icon={CheckCircle2} word="Active" />
  ) : (
    <Badge icon={Clock} word="No deliveries yet" />
  )
}
