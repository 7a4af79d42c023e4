import { type CSSProperties, useEffect, useRef, useState } from 'react'
import { shortDay } from '../browser/formats.ts'
import { roundUp, ticks } from './days.ts'
import { fillOf, Patterns } from './patterns.tsx'

export interface Series {
  name: string
  /** One for each day. */
  values: number[]
  /** Its pattern, where it is to be the same whatever else is shown; else its place. */
  look?: number
}

const height = 190
const widestBar = 48
const labelWidth = 44
const space = { top: 10, right: 4, bottom: 22, left: 52 }

interface BarsProps {
  /** Of the patterns, which the legend uses too. */
  id: string
  /** What the picture shows, in a sentence. */
  label: string
  days: string[]
  series: Series[]
  format: (value: number) => string
  /** The smallest amount that looks different from nothing: one run, one cent. */
  smallest: number
  /** A limit, drawn across. */
  line?: { name: string; value: number } | null
}

/** Stacked bars, one for each day. The table below it says the same in numbers; this is the picture of it. */
export function Bars({ id, label, days, series, format, smallest, line }: BarsProps) {
  const [box, width] = useWidth()
  const [pointed, setPointed] = useState<number | null>(null)
  const totals = days.map((_, day) => series.reduce((sum, { values }) => sum + values[day]!, 0))
  const highest = Math.max(...totals)
  // A limit far above everything would press the bars flat; then it is only named.
  const isLineNear = line && line.value <= 2.5 * highest
  const top = roundUp(Math.max(highest, isLineNear ? line.value : 0), smallest)
  const inner = {
    width: Math.max(0, width - space.left - space.right),
    height: height - space.top - space.bottom,
  }
  const step = inner.width / days.length
  const bar = Math.max(1, Math.min(widestBar, step - 2 * Math.min(2, step * 0.12)))
  const barAt = (index: number) => space.left + index * step + (step - bar) / 2
  const y = (value: number) => space.top + inner.height * (1 - value / top)
  const labelled = ticks(days, Math.floor(inner.width / 64))
  return (
    <div ref={box} className="relative w-full">
      <svg
        role="img"
        aria-label={label}
        width={width}
        height={height}
        className="block max-w-full"
        onPointerLeave={() => setPointed(null)}
      >
        <Patterns id={id} />
        {[0, top / 2, top].map((value) => (
          <g key={value}>
            <line
              x1={space.left}
              x2={width - space.right}
              y1={y(value)}
              y2={y(value)}
              style={{ stroke: 'var(--line)' }}
            />
            <text
              x={space.left - 6}
              y={y(value) + 4}
              textAnchor="end"
              className="fill-muted text-2xs tabular-nums"
            >
              {format(value)}
            </text>
          </g>
        ))}
        {days.map((day, index) => {
          let below = 0
          return (
            <g key={day} onPointerEnter={() => setPointed(index)} onPointerDown={() => setPointed(index)}>
              {/* What a pointer meets is the whole day, also where its bar is low. */}
              <rect
                x={space.left + index * step}
                width={step}
                y={space.top}
                height={inner.height}
                className={pointed === index ? 'fill-hover' : 'fill-transparent'}
              />
              {series.map(({ name, values, look }, at) => {
                const value = values[index]!
                const from = below
                below += value
                return value === 0 ? null : (
                  <rect
                    key={name}
                    x={barAt(index)}
                    width={bar}
                    y={y(from + value)}
                    // A day with a little is not a day with nothing; between two parts is a line of nothing.
                    height={Math.max(1, y(from) - y(from + value) - (from > 0 ? 1 : 0))}
                    fill={fillOf(id, look ?? at)}
                  />
                )
              })}
              {labelled.includes(day) && (
                <text
                  x={Math.min(barAt(index) + bar / 2, width - labelWidth / 2)}
                  y={height - 6}
                  textAnchor="middle"
                  className="fill-muted text-2xs"
                >
                  {shortDay(day)}
                </text>
              )}
            </g>
          )
        })}
        {isLineNear && (
          <g>
            <line
              x1={space.left}
              x2={width - space.right}
              y1={y(line.value)}
              y2={y(line.value)}
              strokeDasharray="6 4"
              style={{ stroke: 'var(--text)', strokeWidth: 1.5 }}
            />
            <text
              x={width - space.right - 4}
              y={y(line.value) - 5 < space.top ? y(line.value) + 13 : y(line.value) - 5}
              textAnchor="end"
              className="fill-text text-2xs font-medium"
            >
              {`${line.name} ${format(line.value)}`}
            </text>
          </g>
        )}
      </svg>
      {pointed !== null && days[pointed] !== undefined && (
        <Day
          day={days[pointed]}
          parts={series.map(({ name, values, look }, at) => ({
            name,
            value: values[pointed]!,
            look: look ?? at,
          }))}
          {...{ id, format }}
          // Beside the day, on the side where there is room.
          style={
            pointed < days.length / 2
              ? { left: space.left + (pointed + 1) * step + 6 }
              : { right: width - (space.left + pointed * step) + 6 }
          }
        />
      )}
    </div>
  )
}

interface DayProps extends Pick<BarsProps, 'id' | 'format'> {
  day: string
  parts: { name: string; value: number; look: number }[]
  style: CSSProperties
}

/** One day in numbers, while a pointer is at it. */
function Day({ id, day, parts, format, style }: DayProps) {
  const some = parts.filter(({ value }) => value > 0)
  return (
    <div
      aria-hidden="true"
      style={style}
      className="pointer-events-none absolute top-2 z-10 max-w-56 rounded-md border bg-raised px-2.5 py-2 text-xs shadow-pop"
    >
      <p className="font-medium">{shortDay(day)}</p>
      {some.length === 0 && <p className="text-muted">None</p>}
      {some.toReversed().map(({ name, value, look }) => (
        <p key={name} className="flex items-center gap-1.5 whitespace-nowrap">
          <Swatch {...{ id, look }} />
          <span className="min-w-0 flex-1 truncate text-muted">{name}</span>
          <span className="tabular-nums">{format(value)}</span>
        </p>
      ))}
      {some.length > 1 && (
        <p className="mt-1 flex justify-between gap-3 border-t pt-1">
          <span className="text-muted">Total</span>
          <span className="tabular-nums">{format(some.reduce((sum, { value }) => sum + value, 0))}</span>
        </p>
      )}
    </div>
  )
}

const Swatch = ({ id, look }: { id: string; look: number }) => (
  <svg width="14" height="14" aria-hidden="true" className="shrink-0">
    <rect width="14" height="14" rx="2" fill={fillOf(id, look)} />
  </svg>
)

interface LegendProps {
  id: string
  series: Series[]
  format: (value: number) => string
}

/** Which pattern stands for what, with its sum. */
export function Legend({ id, series, format }: LegendProps) {
  return (
    <ul className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      {series.map(({ name, values, look }, index) => (
        <li key={name} className="inline-flex min-w-0 items-center gap-1.5">
          <Swatch {...{ id, look: look ?? index }} />
          <span className="break-words">
            {name}{' '}
            <span className="text-text tabular-nums">
              {format(values.reduce((sum, value) => sum + value, 0))}
            </span>
          </span>
        </li>
      ))}
    </ul>
  )
}

/** Text in a picture that is scaled cannot be read on a phone, so it is drawn for the width there is. */
function useWidth() {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.floor(entry!.contentRect.width)))
    observer.observe(box.current!)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}
