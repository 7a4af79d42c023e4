import type { ReactNode } from 'react'
import { Link } from './link.ts'

const pages = {
  story: '/$ws/stories/$key',
  run: '/$ws/runs/$key',
  decision: '/$ws/decisions/$key',
  incident: '/$ws/incidents/$key',
} as const

/** The way to something by its key, which is also what it says unless it is given other words. */
export function KeyLink({
  to,
  of: key,
  children = key,
  className = 'text-accent hover:underline',
  ...rest
}: {
  to: keyof typeof pages
  of: string
  children?: ReactNode
  className?: string
  title?: string
  target?: '_blank'
  'aria-label'?: string
  'data-run'?: boolean
}) {
  return (
    <Link {...rest} to={pages[to]} params={{ key }} className={className}>
      {children}
    </Link>
  )
}
