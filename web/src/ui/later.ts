import { useEffect, useState } from 'react'
import { code } from '../api/code.ts'

/** Code for what opens over a screen: it comes when that is first wanted, and stays. */
export function later<Code>(load: () => Promise<Code>) {
  let there: Code | null = null
  const kept = async () => {
    there = await code(load)
    return there
  }
  return {
    load: kept,
    /** The code, once it is wanted and there. Where it cannot come, the screen is still there; a higher number tries again. */
    useWhen(isWanted: boolean | number, onMissing: (error: unknown) => void = () => {}): Code | null {
      const [, setIsThere] = useState(there !== null)
      // biome-ignore lint/correctness/useExhaustiveDependencies: it is asked for once, whatever would be done without it
      useEffect(() => {
        if (isWanted && !there) kept().then(() => setIsThere(true), onMissing)
      }, [isWanted])
      return there
    },
  }
}
