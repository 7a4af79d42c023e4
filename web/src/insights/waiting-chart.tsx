import type { Waiting } from '@signalbox/contract/app/insights.ts'
import { duration } from '../ui/time.tsx'
import { Chart, Figure, Figures } from './chart.tsx'
import { daysFrom } from './days.ts'

/** A channel looks the same whichever others are there. */
const channels: Record<Waiting['channels'][number]['channel'], { name: string; look: number }> = {
  app: { name: 'App', look: 0 },
  slack: { name: 'Slack', look: 1 },
  mcp: { name: 'MCP', look: 2 },
  api: { name: 'API', look: 4 },
}

const lasted = (seconds: number) => duration(seconds * 1000)

/** How long work waited for people, and where they answered. */
export function WaitingChart({ waiting }: { waiting: Waiting }) {
  const days = daysFrom(waiting)
  const series = waiting.channels.map(({ channel }) => ({
    ...channels[channel],
    values: days.map(
      (day) => waiting.days.find((facts) => facts.day === day && facts.channel === channel)?.answered ?? 0,
    ),
  }))
  return (
    <Chart
      title="Waiting for people"
      hint="Decisions by the day they were raised and the channel they were answered in."
      figures={
        <>
          <Figures>
            <Figure
              name="Median time to answer"
              value={waiting.medianSeconds === null ? '–' : lasted(waiting.medianSeconds)}
            />
            <Figure name="Total waiting time" value={lasted(waiting.totalSeconds)} />
            <Figure name="Answered" value={waiting.answered} />
            <Figure name="Still waiting" value={waiting.stillWaiting} />
          </Figures>
          <ByChannel waiting={waiting} />
        </>
      }
      days={days}
      series={series}
      format={String}
      unit="decisions"
      nothing="No decisions raised in this period have been answered."
    />
  )
}

function ByChannel({ waiting }: { waiting: Waiting }) {
  if (waiting.channels.length === 0) return null
  return (
    <div className="mb-3 overflow-x-auto">
      <table className="border-collapse text-left text-sm">
        <caption className="sr-only">Answers by channel</caption>
        <thead>
          <tr className="border-b text-xs text-muted">
            {['Channel', 'Answered', 'Median', 'Total'].map((title, index) => (
              <th key={title} scope="col" className={`h-7 pr-4 font-medium ${index > 0 ? 'text-right' : ''}`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {waiting.channels.map(({ channel, answered, medianSeconds, totalSeconds }) => (
            <tr key={channel} className="border-b last:border-b-0">
              <th scope="row" className="h-7 pr-4 font-normal">
                {channels[channel].name}
              </th>
              {[answered, lasted(medianSeconds), lasted(totalSeconds)].map((value, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns stay where they are
                <td key={index} className="pr-4 text-right whitespace-nowrap tabular-nums">
                  {value}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
