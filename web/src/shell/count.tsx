import { useWaitingCount } from '../decisions/waiting-count.ts'
import { useOpenCount } from '../incidents/open-count.ts'
import type { Destination } from './destinations.ts'

/** How many things wait behind a destination; nothing where there are none. */
export function Count({ of, className = 'rounded' }: { of: Destination['to']; className?: string }) {
  const counts: Partial<Record<Destination['to'], [number, string, string]>> = {
    '/$ws/inbox': [useWaitingCount(), 'waiting', 'bg-accent-fill'],
    '/$ws/incidents': [useOpenCount(), 'open', 'bg-danger-fill'],
  }
  const [count, what, colour] = counts[of] ?? [0]
  if (count === 0) return null
  return (
    <span
      className={`px-1.5 text-2xs leading-4 font-semibold text-white tabular-nums ${colour} ${className}`}
    >
      {count}
      <span className="sr-only"> {what}</span>
    </span>
  )
}
