import type { ReactNode } from 'react'

/** Where a decision stands alone its parts are of the second level; in the inbox's pane they are of the third. */
export type Level = 2 | 3

interface Props {
  level: Level
  children: ReactNode
  className?: string
}

export function Heading({ level, children, className = '' }: Props) {
  const Tag = `h${level}` as const
  return <Tag className={`text-sm font-semibold ${className}`}>{children}</Tag>
}
