import type { ReactElement, ReactNode } from 'react'

export interface MenuProps {
  trigger: ReactElement<Record<string, unknown>>
  children: ReactNode
  align?: 'start' | 'end'
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

export interface Choices<T extends string> {
  label: string
  value: T
  choices: readonly { value: T; name: string; icon?: ReactNode }[]
  onChoose: (value: T) => void
}

export const labelClass = 'px-2 pt-1.5 pb-1 text-xs font-medium text-muted'
