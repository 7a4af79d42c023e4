import { type RefObject, useMemo, useRef } from 'react'

/**
 * Where a menu or a tooltip is put: into the dialog that it was opened from, or else into the main part of the page. At
 * the end of the body, where it would stand otherwise, it is in no landmark, and an open dialog hides it from readers.
 */
export function useNearby() {
  const trigger = useRef<HTMLButtonElement>(null)
  const container = useMemo<RefObject<HTMLElement | null>>(
    () => ({
      get current() {
        return trigger.current?.closest<HTMLElement>('[role="dialog"]') ?? document.querySelector('main')
      },
    }),
    [],
  )
  return { trigger, container }
}
