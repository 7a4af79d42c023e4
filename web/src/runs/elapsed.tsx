import { useEffect, useReducer } from 'react'
import { serverNow } from '../api/clock.ts'
import { duration } from '../ui/time.tsx'

/** Draws again every second while something lasts. */
export function useEverySecond(isOn: boolean): void {
  const [, draw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    if (!isOn) return
    const timer = setInterval(draw, 1_000)
    return () => clearInterval(timer)
  }, [isOn])
}

/** How long something took, or takes by now. */
export function Elapsed({ from, to }: { from: string; to: string | null }) {
  useEverySecond(to === null)
  return duration((to === null ? serverNow() : Date.parse(to)) - Date.parse(from))
}
