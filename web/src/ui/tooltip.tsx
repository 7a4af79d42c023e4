import { Tooltip as Base } from '@base-ui/react/tooltip'
import type { ReactElement } from 'react'

/** Shown on hover and on focus; Escape puts it away. */
export function Tooltip({
  text,
  children,
}: {
  text: string
  children: ReactElement<Record<string, unknown>>
}) {
  return (
    <Base.Root>
      <Base.Trigger delay={300} render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="max-w-72 rounded-md border bg-raised px-2 py-1 text-xs text-text shadow-pop">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export const TooltipProvider = Base.Provider
