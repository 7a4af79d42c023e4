import type { ServiceUptime } from '@signalbox/contract/app/services.ts'
import { useRead } from '../api/queries.ts'
import { shortDay } from '../browser/formats.ts'
import { Card, Section } from '../ui/page.tsx'
import { duration } from '../ui/time.tsx'

/** How long its checks found a service up, day by day. A service without a check has nothing to show. */
export function Uptime({ service }: { service: string }) {
  const uptime = useRead('services.uptime', { service })
  if (!uptime.data || uptime.data.data.length === 0) return null
  return (
    <Section title="Uptime" hint="What the uptime checks found in the last 30 days. Days are in UTC.">
      <Card className="divide-y">
        {uptime.data.data.map((check) => (
          <Check key={check.source.id} check={check} />
        ))}
      </Card>
    </Section>
  )
}

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)

/** Never rounded up to a hundred: a minute of outage is one. */
const percent = (up: number) => `${(Math.floor(up * 10_000) / 100).toFixed(2)}%`

function Check({ check: { source, days } }: { check: ServiceUptime }) {
  const watched = sum(days.map(({ watchedSeconds }) => watchedSeconds))
  const down = sum(days.map(({ downSeconds }) => downSeconds))
  const says = `${percent(watched === 0 ? 1 : 1 - down / watched)} up${down > 0 ? `, ${duration(down * 1000)} down` : ''}`
  return (
    <div className="p-4">
      <div className="mb-2 flex flex-wrap items-baseline justify-between gap-x-3 text-sm">
        <bdi className="min-w-0 font-medium wrap-anywhere">{source.name}</bdi>
        <span className="text-muted tabular-nums">{says}</span>
      </div>
      <div
        role="img"
        aria-label={`${source.name}: ${says} in ${days.length} days`}
        className="flex h-7 gap-px"
      >
        {days.map(({ day, downSeconds, watchedSeconds }) => (
          <span
            key={day}
            title={`${shortDay(day)}: ${downSeconds === 0 ? 'no outage' : `${duration(downSeconds * 1000)} down`}`}
            className={`max-w-4 flex-1 rounded-xs forced-color-adjust-none ${downSeconds === 0 ? 'bg-ok/45' : downSeconds * 20 < watchedSeconds ? 'bg-warn/70' : 'bg-danger-fill'}`}
          />
        ))}
      </div>
    </div>
  )
}
