import { useSyncExternalStore } from 'react'

/** The widths at which the layout changes, as style.css has them. */
const widths = { md: matchMedia('(min-width: 48rem)'), lg: matchMedia('(min-width: 64rem)') }

/** For what is left out where there is no room for it: hidden by styles alone, it would still be rendered. */
export function useIsAtLeast(width: keyof typeof widths): boolean {
  const query = widths[width]
  return useSyncExternalStore(
    (listener) => {
      query.addEventListener('change', listener)
      return () => query.removeEventListener('change', listener)
    },
    () => query.matches,
  )
}
