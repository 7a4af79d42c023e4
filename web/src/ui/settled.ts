import { useEffect, useState } from 'react'

/** What was typed, once the typing pauses. */
export function useSettled(value: string, pauseMs = 120): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs)
    return () => clearTimeout(timer)
  }, [value, pauseMs])
  return settled
}
