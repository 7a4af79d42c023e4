import { type RefObject, startTransition, useEffect, useState } from 'react'

/** Whether something has come into sight, or within half a screen of it. What was near stays so. */
export function useIsNear(element: RefObject<HTMLElement | null>): boolean {
  const [isNear, setIsNear] = useState(false)
  useEffect(() => {
    if (isNear) return
    const observer = new IntersectionObserver(
      (seen) => seen.some(({ isIntersecting }) => isIntersecting) && startTransition(() => setIsNear(true)),
      { rootMargin: '50%' },
    )
    observer.observe(element.current!)
    return () => observer.disconnect()
  }, [element, isNear])
  return isNear
}
