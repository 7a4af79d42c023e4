import { Tooltip as Base } from '@base-ui/react/tooltip'
import { type ReactElement, useLayoutEffect, useState } from 'react'
import { useNearby } from './nearby.ts'

export interface Tooltipped {
  text: string
  children: ReactElement<Record<string, unknown>>
  /** A press shows it too: a finger does not hover, and what it presses does nothing else. */
  onPress?: boolean
}

/** What `Tooltip` is once someone has rested on it, so it begins open. `id`: what it replaces is marked with it. */
export function Hovering({ id, text, children, onPress }: Tooltipped & { id: string }) {
  const { trigger, container } = useNearby()
  const [hadFocus] = useState(() => document.activeElement?.getAttribute('data-tooltip') === id)
  const [open, setOpen] = useState(true)
  // Focus does not go with what was replaced.
  useLayoutEffect(() => {
    if (hadFocus) trigger.current?.focus()
  }, [hadFocus, trigger])
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
      <Base.Trigger
        ref={trigger}
        delay={300}
        render={children}
        {...(onPress ? { closeOnClick: false, onClick: () => setOpen(true) } : {})}
      />
      <Base.Portal container={container}>
        <Base.Positioner sideOffset={6} className="z-60">
          <Base.Popup className="max-w-72 rounded-md border bg-raised px-2 py-1 text-xs text-text shadow-pop">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}
