import type { SourceRow } from '@signalbox/contract/app/sources.ts'
import { CheckCircle2, Clock, PauseCircle, TriangleAlert, XCircle } from 'lucide-react'
import { Badge } from '../ui/badge.tsx'

/** Whether a source listens, and what an uptime check has found. */
export function SourceState({ source: { paused, check, kind, lastDeliveryAt } }: { source: SourceRow }) {
  if (paused)
    return (
      <Badge tone="warn" icon={PauseCircle}>
        Paused
      </Badge>
    )
  if (kind === 'uptime') {
    if (!check?.lastAt) return <Badge icon={Clock}>Not checked yet</Badge>
    if (check.status === 'up' && check.failures > 0)
      return (
        <Badge tone="warn" icon={TriangleAlert}>
          Failing
        </Badge>
      )
    return check.status === 'up' ? (
      <Badge tone="ok" icon={CheckCircle2}>
        Up
      </Badge>
    ) : (
      <Badge tone="danger" icon={XCircle}>
        Down
      </Badge>
    )
  }
  return lastDeliveryAt ? (
    <Badge tone="ok" icon={CheckCircle2}>
      Listens
    </Badge>
  ) : (
    <Badge icon={Clock}>Nothing arrived yet</Badge>
  )
}
