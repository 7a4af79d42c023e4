import { useSyncExternalStore } from 'react'
import { dateOf } from '../browser/formats.ts'
import { ago } from './ago.ts'
import { Tooltip } from './tooltip.tsx'

/** How long something took: `3 min 20 s`, `4 min`. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3_600) return parts(seconds, [60, 'min'], [1, 's'])
  if (seconds < 86_400) return parts(seconds, [3_600, 'h'], [60, 'min'])
  return parts(seconds, [86_400, 'd'], [3_600, 'h'])
}

function parts(seconds: number, [much, many]: [number, string], [little, few]: [number, string]): string {
  const rest = Math.floor((seconds % much) / little)
  return `${Math.floor(seconds / much)} ${many}${rest > 0 ? ` ${rest} ${few}` : ''}`
}

// One clock for all times on the screen.
const listeners = new Set<() => void>()
let minute = Math.floor(Date.now() / 30_000)
setInterval(() => {
  minute = Math.floor(Date.now() / 30_000)
  for (const listener of listeners) listener()
}, 30_000)
const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Changes every half minute; makes a component that shows time keep up. */
export const useMinute = () => useSyncExternalStore(subscribe, () => minute)

/** A moment: relative, with the exact one on hover and focus. */
export function Time({ at, plain }: { at: string; plain?: boolean }) {
  useMinute()
  const time = (
    <time dateTime={at} className="whitespace-nowrap">
      {ago(at)}
    </time>
  )
  return plain ? time : <Tooltip text={dateOf(at)}>{time}</Tooltip>
}
