import { cloneElement, type KeyboardEvent, type ReactElement, type ReactNode, useState } from 'react'
import { later } from './later.ts'
import { complain } from './toast.tsx'

const opened = later(() => import('./menu-opened.tsx'))
export const loadMenus = opened.load

export interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>
  children: ReactNode
  align?: 'start' | 'end'
}

/**
 * A menu behind a button. Until its first press it is that button and nothing more: a board has a menu on each card, and
 * few of them are opened.
 */
export function Menu(menu: MenuProps) {
  const [isWanted, setIsWanted] = useState(false)
  const there = opened.useWhen(isWanted, (error) => {
    complain(error)
    setIsWanted(false)
  })
  if (isWanted && there) return <there.OpenedMenu {...menu} />
  const { 'aria-disabled': isDisabled, forbidden } = menu.trigger.props
  const open = () => !isDisabled && !forbidden && setIsWanted(true)
  return cloneElement(menu.trigger, {
    'aria-haspopup': 'menu',
    'aria-expanded': false,
    onClick: open,
    onKeyDown: (event: KeyboardEvent) => {
      if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
      event.preventDefault()
      open()
    },
  })
}

export const itemClass =
  'flex min-h-8 pointer-coarse:min-h-[44px] cursor-default items-center gap-2 rounded-md px-2 py-1.5 outline-none select-none data-highlighted:bg-hover data-disabled:opacity-70'

export interface ItemProps {
  children: ReactNode
  icon?: ReactNode
  danger?: boolean
  /** Why it cannot be chosen; shown below the label. */
  forbidden?: string | false | undefined
  onSelect?: () => void
}

// Rendered in an open menu alone, whose code has brought them.
export const MenuItem = (item: ItemProps) => {
  const there = opened.useWhen(true)
  return there && <there.Item {...item} />
}

export interface Choices<T extends string> {
  label: string
  value: T
  choices: readonly { value: T; name: string; icon?: ReactNode }[]
  onChoose: (value: T) => void
}

/** One of several, of which one holds. */
export const MenuChoices = <T extends string>(choices: Choices<T>) => {
  const there = opened.useWhen(true)
  return there && <there.ItemChoices {...choices} />
}

export const MenuLine = () => <hr className="my-1 h-px border-0 bg-line" />

export const labelClass = 'px-2 pt-1.5 pb-1 text-xs font-medium text-muted'

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <div className={labelClass}>{children}</div>
)
