import { serverNow } from '../api/clock.ts'
import { grouped } from '../browser/formats.ts'
import { useMinute } from './time.tsx'

/** From then on it is said: an agent that thinks for long is quiet, too. */
const quietMinutes = 10

/** A runner that only says that it is there, and nothing comes of it. Nothing while something does. */
export function NoProgress({ since }: { since: string }) {
  useMinute()
  const minutes = Math.floor((serverNow() - Date.parse(since)) / 60_000)
  if (minutes < quietMinutes) return null
  return <span className="text-warn">No progress for {grouped(minutes)} minutes</span>
}
