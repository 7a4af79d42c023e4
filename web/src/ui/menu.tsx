import { Menu as Base } from '@base-ui/react/menu'
import type { ReactElement, ReactNode } from 'react'

/** A menu behind a button. */
export function Menu({
  trigger,
  children,
  align = 'end',
}: {
  trigger: ReactElement<Record<string, unknown>>
  children: ReactNode
  align?: 'start' | 'end'
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} align={align} className="z-50">
          <Base.Popup className="min-w-44 max-w-80 rounded-lg border bg-raised p-1 text-[13px] shadow-pop outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

export function MenuItem({
  children,
  icon,
  danger,
  forbidden,
  onSelect,
}: {
  children: ReactNode
  icon?: ReactNode
  danger?: boolean
  /** Why it cannot be chosen; shown below the label. */
  forbidden?: string | false | undefined
  onSelect?: () => void
}) {
  return (
    <Base.Item
      disabled={Boolean(forbidden)}
      {...(onSelect ? { onClick: onSelect } : {})}
      className={`flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-70 ${danger ? 'text-danger' : ''}`}
    >
      {icon}
      <span className="min-w-0 flex-1">
        {children}
        {forbidden && <span className="block text-xs text-muted">{forbidden}</span>}
      </span>
    </Base.Item>
  )
}

export const MenuLine = () => <Base.Separator className="my-1 h-px bg-line" />

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <div className="px-2 pt-1.5 pb-1 text-xs font-medium text-muted">{children}</div>
)
