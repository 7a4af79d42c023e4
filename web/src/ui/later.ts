import { useEffect, useState } from 'react'
import { code } from '../api/code.ts'
import { complain } from './toast.tsx'

/**
 * Code for what opens over a screen: it comes when that is first wanted, and stays. Where it cannot come, that is said,
 * and the screen is still there.
 */
export function later<Code>(load: () => Promise<Code>) {
  let there: Code | null = null
  const kept = async () => {
    there = await code(load)
    return there
  }
  return {
    load: kept,
    /** The code, once it is wanted and there. */
    useWhen(isWanted: boolean, onMissing: () => void): Code | null {
      const [, setThere] = useState(there !== null)
      // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked for once, whatever would be done without it
      useEffect(() => {
        if (!isWanted || there) return
        kept().then(
          () => setThere(true),
          (error) => {
            complain(error)
            onMissing()
          },
        )
      }, [isWanted])
      return there
    },
  }
}
