import { Menu as Base } from '@base-ui/react/menu'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { type Choices, type ItemProps, itemClass, labelClass, type MenuProps } from './menu-parts.ts'
import { useNearby } from './nearby.ts'

/** What `Menu` shows from its first press on. */
export function OpenedMenu({ trigger, children, align = 'end' }: MenuProps) {
  const { trigger: ref, container } = useNearby()
  const [open, setOpen] = useState(true)
  return (
    <Base.Root open={open} onOpenChange={setOpen}>
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

export const Item = ({ children, icon, danger, forbidden, onSelect }: ItemProps) => (
  <Base.Item
    disabled={Boolean(forbidden)}
    {...(onSelect ? { onClick: onSelect } : {})}
    className={`${itemClass} ${danger ? 'text-danger' : ''}`}
  >
    {icon}
    <span className="min-w-0 flex-1">
      {children}
      {forbidden && <span className="block text-xs text-muted">{forbidden}</span>}
    </span>
  </Base.Item>
)

export const ItemChoices = <T extends string>({ label, value, choices, onChoose }: Choices<T>) => (
  <Base.RadioGroup value={value} onValueChange={(next) => onChoose(next as T)}>
    <Base.GroupLabel className={labelClass}>{label}</Base.GroupLabel>
    {choices.map((choice) => (
      <Base.RadioItem key={choice.value} value={choice.value} closeOnClick className={itemClass}>
        {choice.icon}
        <span className="min-w-0 flex-1 truncate">{choice.name}</span>
        <Base.RadioItemIndicator render={<Check size={14} />} />
      </Base.RadioItem>
    ))}
  </Base.RadioGroup>
)
