import { type RefObject, useEffect, useState, useSyncExternalStore } from 'react'

export type Layout = 'unified' | 'side-by-side'

const preference = 'signalbox.diff-layout'
const listeners = new Set<() => void>()
const chosen = (): Layout =>
  localStorage.getItem(preference) === 'side-by-side' ? 'side-by-side' : 'unified'

export function chooseLayout(layout: Layout): void {
  localStorage.setItem(preference, layout)
  for (const listener of listeners) listener()
}
addEventListener('storage', ({ key }) => {
  if (key === preference) for (const listener of listeners) listener()
})

/** How diffs are shown in this browser, everywhere alike. */
export const useLayout = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosen)

/** Two columns of code need as many pixels; a diff may be in a narrow pane of a wide window. */
const leastWidth = 640

export function useHasRoom(element: RefObject<HTMLElement | null>): boolean {
  const [hasRoom, setHasRoom] = useState(false)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setHasRoom(entry!.contentRect.width >= leastWidth))
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [element])
  return hasRoom
}
