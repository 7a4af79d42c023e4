import { useSyncExternalStore } from 'react'

/** What waits for a person to prove that it is they; true once they have. */
let waiting: PromiseWithResolvers<boolean> | null = null
const listeners = new Set<() => void>()

const tell = () => {
  for (const listener of listeners) listener()
}

/** Asks, once for everything that waits for it. False: the person does not want to. */
export function askForProof(): Promise<boolean> {
  waiting ??= Promise.withResolvers()
  tell()
  return waiting.promise
}

export function endProof(isProven: boolean): void {
  waiting?.resolve(isProven)
  waiting = null
  tell()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Whether a proof is asked for. */
export const useProofAsked = (): boolean => useSyncExternalStore(subscribe, () => waiting !== null)
