import { useEffect } from 'react'
import { serverNow } from '../api/clock.ts'
import { readAgain, useRead, useWorkspace } from '../api/queries.ts'

const useCount = () => useRead('decisions.count', {}).data

/** How many decisions wait for this person: those they may answer and have not snoozed. */
export const useWaitingCount = (): number => useCount()?.mine ?? 0

/** Brings back what was snoozed, at its time. A browser waits no longer than 24 days at a time. */
export function useSnoozeEnds(): void {
  const [ws, wakesAt] = [useWorkspace(), useCount()?.wakesAt]
  useEffect(() => {
    if (!wakesAt) return
    const ms = Math.min(Date.parse(wakesAt) - serverNow() + 500, 2 ** 31 - 1)
    const timer = setTimeout(() => void readAgain(ws, ['decisions']), ms)
    return () => clearTimeout(timer)
  }, [ws, wakesAt])
}
