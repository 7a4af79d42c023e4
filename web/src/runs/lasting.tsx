import { serverNow } from '../api/clock.ts'
import { duration, useMinute } from '../ui/time.tsx'

/** How long something took, or takes by now. */
export function Lasting({ from, to }: { from: string; to: string | null }) {
  useMinute()
  return duration((to === null ? serverNow() : Date.parse(to)) - Date.parse(from))
}
