import { type ReactNode, useEffect, useRef } from 'react'

/** A part of a screen that an address can lead to, also when it is drawn only after its content has come. */
export function Anchor({ id, children }: { id: string; children: ReactNode }) {
  const here = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === `#${id}`) here.current?.scrollIntoView({ block: 'start' })
  }, [id])
  return (
    <div id={id} ref={here} className="scroll-mt-4">
      {children}
    </div>
  )
}
