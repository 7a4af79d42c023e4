import type { Estimate, Share } from '@signalbox/contract/app/insights.ts'
import type { ReactNode } from 'react'

const percent = (share: number) => {
  const rounded = Math.round(100 * share)
  return rounded === 0 && share > 0 ? '<1%' : `${rounded}%`
}

/** A share with its interval and its counts. */
export const ShareFigure = ({
  share: { count, of, estimate },
  children,
}: {
  share: Share
  children?: ReactNode
}) => (
  <Figure estimate={estimate} format={percent} scale={1}>
    {count} of {of}
    {children}
  </Figure>
)

/** A figure with its 95% interval in numbers and as a picture, and what it was counted from. */
export function Figure({
  estimate,
  format,
  scale,
  children,
}: {
  estimate: Estimate | null
  format: (value: number) => string
  /** Where the picture ends on the right. */
  scale: number
  children: ReactNode
}) {
  return (
    <div className="flex flex-col md:items-end">
      {estimate ? (
        <>
          <span className="whitespace-nowrap">
            <span className="font-semibold">{format(estimate.value)}</span>{' '}
            <span className="text-xs text-muted">
              <span className="sr-only">95% interval </span>
              {format(estimate.low)} – {format(estimate.high)}
            </span>
          </span>
          <Whiskers {...estimate} scale={scale} />
        </>
      ) : (
        <span className="text-xs whitespace-nowrap text-muted">Too few to compare</span>
      )}
      <span className="text-xs text-muted">{children}</span>
    </div>
  )
}

const width = 96

function Whiskers({ value, low, high, scale }: Estimate & { scale: number }) {
  const x = (at: number) => 4 + (scale > 0 ? Math.min(1, at / scale) : 0) * (width - 8)
  return (
    <svg width={width} height="10" aria-hidden="true" className="my-0.5 max-md:self-end">
      <line x1="4" x2={width - 4} y1="5" y2="5" style={{ stroke: 'var(--line)' }} />
      <line
        x1={x(low)}
        x2={x(high)}
        y1="5"
        y2="5"
        strokeLinecap="round"
        style={{ stroke: 'var(--accent)', strokeWidth: 2 }}
      />
      <circle cx={x(value)} cy="5" r="3.5" style={{ fill: 'var(--accent)' }} />
    </svg>
  )
}
