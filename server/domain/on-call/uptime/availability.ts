import type { ServiceUptime } from '@signalbox/contract/app/services.ts'
import { firstIdAt } from '../../../infra/ids.ts'
import type { Context } from '../../context.ts'
import { readService } from '../services/read.ts'
import { selectChanges, selectChecksOf, type UptimeChange } from './store.ts'

const dayMs = 86_400_000
const shownDays = 30

/** How long each check of a service found it down, day by day: today and the 29 days before. */
export async function listUptime(ctx: Context, service: string): Promise<ServiceUptime[]> {
  await readService(ctx, service)
  const checks = await selectChecksOf(ctx.db, ctx.workspaceId, service)
  if (checks.length === 0) return []
  const now = ctx.clock.now().getTime()
  const first = new Date(now - (now % dayMs) - (shownDays - 1) * dayMs)
  const changes = await selectChanges(
    ctx.db,
    ctx.workspaceId,
    checks.map(({ id }) => id),
    firstIdAt(first),
  )
  return checks.map(({ id, name, createdAt, lastAt }) => ({
    source: { id, name },
    days: dailyUptime(
      changes.filter(({ sourceId }) => sourceId === id),
      createdAt > first ? createdAt : first,
      lastAt,
    ),
  }))
}

/** What was watched from one moment to another, cut at midnight UTC. `changes` are in order; before them it was up. */
export function dailyUptime(
  changes: readonly Pick<UptimeChange, 'at' | 'status'>[],
  from: Date,
  to: Date,
): ServiceUptime['days'] {
  const outages = outagesOf(changes, to)
  const days: ServiceUptime['days'] = []
  for (let at = from.getTime(); at < to.getTime(); ) {
    const end = Math.min(to.getTime(), at - (at % dayMs) + dayMs)
    const downMs = outages.reduce(
      (sum, { began, ended }) => sum + Math.max(0, Math.min(ended, end) - Math.max(began, at)),
      0,
    )
    days.push({
      day: new Date(at).toISOString().slice(0, 10),
      watchedSeconds: Math.round((end - at) / 1000),
      downSeconds: Math.round(downMs / 1000),
    })
    at = end
  }
  return days
}

function outagesOf(changes: readonly Pick<UptimeChange, 'at' | 'status'>[], to: Date) {
  const outages: { began: number; ended: number }[] = []
  let began: number | null = null
  for (const { at, status } of changes) {
    if (status === 'firing') began ??= at.getTime()
    else if (began !== null) {
      outages.push({ began, ended: at.getTime() })
      began = null
    }
  }
  return began === null ? outages : [...outages, { began, ended: to.getTime() }]
}
