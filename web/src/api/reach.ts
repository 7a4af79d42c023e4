import { useSyncExternalStore } from 'react'

/** How often a server that could not be reached is asked for. */
const probeMs = 5_000

let reached = true
let next: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** How a request ended tells whether the server can be reached. While it cannot, it is asked for. */
export function noteReachable(isThere: boolean): void {
  clearTimeout(next)
  next = isThere ? undefined : setTimeout(() => void probe(), probeMs)
  if (isThere === reached) return
  reached = isThere
  for (const listener of [...listeners]) listener()
}

/** A proxy says these of a server that is away. */
export const isAway = (status: number): boolean => status >= 502 && status <= 504

/** Whether the server responds: asked now, of the smallest file there is. */
export async function probe(): Promise<boolean> {
  const isThere = await fetch('/favicon.svg', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => !isAway(status),
    () => false,
  )
  noteReachable(isThere)
  return isThere
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Runs whenever the server can be reached again. Returns how to end that. */
export const onReached = (run: () => void): (() => void) => subscribe(() => reached && run())

/** Whether the server could be reached when it was last asked for anything. */
export const useReached = (): boolean => useSyncExternalStore(subscribe, () => reached)

// What a browser thinks of its connection is no proof, but a good moment to look.
globalThis.addEventListener?.('online', () => void probe())
