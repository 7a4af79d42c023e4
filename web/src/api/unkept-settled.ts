type Listener = (isTaken: boolean) => void

const listeners = new Set<Listener>()

/** Tells whether a write that is in no cache was taken or refused; what is in the cache is heard of there. */
export const settleUnkept: Listener = (isTaken) => {
  for (const listener of listeners) listener(isTaken)
}

export function onUnkeptSettled(listener: Listener): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
