import type { AlertActivity } from '@signalbox/contract/app/incidents.ts'
import { useRead } from '../api/queries.ts'
import { counted, dateOf } from '../browser/formats.ts'
import { Card } from '../ui/page.tsx'
import { duration } from '../ui/time.tsx'

const height = 40

/** How often its alerts were received while it was open: whether it goes on, and how hard. Of the same size from the first. */
export function Sparkline({ incident }: { incident: string }) {
  const { data } = useRead('incidents.activity', { incident })
  return <Card className="mb-3 min-h-[76px] px-4 pt-3 pb-2">{data && <Received activity={data} />}</Card>
}

function Received({ activity: { from, to, counts, isCut } }: { activity: AlertActivity }) {
  const [start, end] = [Date.parse(from), Date.parse(to)]
  const highest = Math.max(1, ...counts)
  const total = counts.reduce((sum, count) => sum + count, 0)
  const partMs = (end - start) / counts.length
  const says = `${isCut ? 'At least ' : ''}${counted(total, 'alert')} received in ${duration(end - start)}`
  return (
    <figure>
      <svg
        role="img"
        aria-label={says}
        viewBox={`0 0 ${counts.length} ${height}`}
        preserveAspectRatio="none"
        className="h-10 w-full border-b forced-color-adjust-none"
      >
        {counts.map((count, part) => {
          const tall = (count / highest) * height
          return count === 0 ? null : (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts of a time are where they are
            <g key={part}>
              <title>{`${dateOf(new Date(start + part * partMs).toISOString())}: ${counted(count, 'alert')}`}</title>
              {/* What a pointer meets is the whole height, also of a low one. */}
              <rect x={part} width={1} height={height} fill="transparent" />
              <rect x={part + 0.1} width={0.8} y={height - tall} height={tall} className="fill-warn/75" />
            </g>
          )
        })}
      </svg>
      <figcaption className="mt-1.5 flex flex-wrap justify-between gap-x-4 text-xs text-muted">
        <span>{dateOf(from)}</span>
        <span className="text-text max-sm:order-first max-sm:basis-full">{says}</span>
        <span>{dateOf(to)}</span>
      </figcaption>
    </figure>
  )
}
