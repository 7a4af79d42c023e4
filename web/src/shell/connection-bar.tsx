import { WifiOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { type LiveState, pollMs } from '../api/liveness.ts'
import { useReached } from '../api/reach.ts'

/** Says that what is on the screen may be old. A hiccup of a moment is not worth a word. */
export function ConnectionBar({ state }: { state: LiveState }) {
  const [shown, setShown] = useState(false)
  const isReached = useReached()
  useEffect(() => {
    if (state !== 'lost') {
      setShown(false)
      return
    }
    const timer = setTimeout(() => setShown(true), 1_500)
    return () => clearTimeout(timer)
  }, [state])
  return (
    <div role="status" className="sticky top-0 z-20">
      {shown &&
        (isReached ? (
          <p className="border-b bg-surface px-4 py-1.5 text-xs text-muted">
            Live updates are paused. This page refreshes every {pollMs / 1_000} seconds.
          </p>
        ) : (
          <div className="flex items-center gap-2 bg-warn-soft px-4 py-2 text-sm text-warn">
            <WifiOff size={14} aria-hidden="true" className="shrink-0" />
            <span>Connection lost. Reconnecting…</span>
          </div>
        ))}
    </div>
  )
}
