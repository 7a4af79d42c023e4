import { cloneElement, type KeyboardEvent, type ReactNode, useState } from 'react'
import { later } from './later.ts'
import { type Choices, type ItemProps, labelClass, type MenuProps } from './menu-parts.ts'
import { complain } from './toast.tsx'

const opened = later(() => import('./menu-opened.tsx'))

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

// Rendered in an open menu alone, whose code has brought them.
export const MenuItem = (item: ItemProps) => {
  const there = opened.useWhen(true)
  return there && <there.Item {...item} />
}

/** One of several, of which one holds. */
export const MenuChoices = <T extends string>(choices: Choices<T>) => {
  const there = opened.useWhen(true)
  return there && <there.ItemChoices {...choices} />
}

export const MenuLine = () => <hr className="my-1 h-px border-0 bg-line" />

export const MenuLabel = ({ children }: { children: ReactNode }) => (
  <div className={labelClass}>{children}</div>
)
