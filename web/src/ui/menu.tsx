import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import type { ReactElement, ReactNode } from 'react'
import { useNearby } from './nearby.ts'

interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>
  children: ReactNode
  align?: 'start' | 'end'
}

/** A menu behind a button. */
export function Menu({ trigger, children, align = 'end' }: MenuProps) {
  const { trigger: ref, container } = useNearby()
  return (
    <Base.Root>
      <Base.Trigger ref={ref} render={trigger} />
      <Base.Portal container={container}>
        <Base.Positioner sideOffset={6} align={align} className="z-50">
          <Base.Popup className="min-w-44 max-w-80 rounded-lg border bg-raised p-1 text-sm shadow-pop outline-none">
            {children}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  )
}

const item =
  'flex min-h-8 pointer-coarse:min-h-[44px] cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-70'

interface MenuItemProps {
  children: ReactNode
  icon?: ReactNode
  danger?: boolean
  /** Why it cannot be chosen; shown below the label. */
  forbidden?: string | false | undefined
  onSelect?: () => void
}

export function MenuItem({ children, icon, danger, forbidden, onSelect }: MenuItemProps) {
  return (
    <Base.Item
      disabled={Boolean(forbidden)}
      {...(onSelect ? { onClick: onSelect } : {})}
      className={`${item} ${danger ? 'text-danger' : ''}`}
    >
      {icon}
      <span className="min-w-0 flex-1">
        {children}
        {forbidden && <span className="block text-xs text-muted">{forbidden}</span>}
      </span>
    </Base.Item>
  )
}

/** One of several, of which one holds. */
export function MenuChoices<T extends string>({
  label,
  value,
  choices,
  onChoose,
}: {
  label: string
  value: T
  choices: readonly { value: T; name: string; icon?: ReactNode }[]
  onChoose: (value: T) => void
}) {
  return (
    <Base.RadioGroup value={value} onValueChange={(next) => onChoose(next as T)}>
      <Base.GroupLabel className={labelClass}>{label}</Base.GroupLabel>
      {choices.map((choice) => (
        <Base.RadioItem key={choice.value} value={choice.value} closeOnClick className={item}>
          {choice.icon}
          <span className="min-w-0 flex-1 truncate">{choice.name}</span>
          <Base.RadioItemIndicator render={<Check size={14} />} />
        </Base.RadioItem>
      ))}
    </Base.RadioGroup>
  )
}

export const MenuLine = () => <Base.Separator className="my-1 h-px bg-line" />

const labelClass = 'px-2 pt-1.5 pb-1 text-xs font-medium text-muted'

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <div className={labelClass}>{children}</div>
)
