import { useLocation } from '@tanstack/react-router'
import { AlertTriangle, type LucideIcon } from 'lucide-react'
import { type ReactNode, useDeferredValue, useEffect, useRef } from 'react'
import { Failure } from '../api/client.ts'
import { titlePage } from '../browser/title.ts'
import { whenIdle } from '../browser/when-idle.ts'
import { Button } from './button.tsx'
import { Coded } from './coded.tsx'
import { RefusalText } from './refusal-text.tsx'

interface PageProps {
  title: string
  /** Above the title: the way back, or the key. */
  above?: ReactNode
  /** Beside the title: actions. */
  aside?: ReactNode
  children: ReactNode
  /** As wide as the window: boards, tables and logs. */
  wide?: boolean
}

/** A screen: its title, what can be done with all of it, and its content. All begin at the same edge, however wide they are. */
export function Page({ title, above, aside, children, wide }: PageProps) {
  usePageTitle(title)
  return (
    <div className={`w-full px-4 py-5 md:px-8 md:py-6 ${wide ? '' : 'max-w-7xl'}`}>
      {above && (
        <div className="mb-1 flex min-h-6 flex-wrap items-center gap-2 text-sm text-muted">{above}</div>
      )}
      <header className="mb-5 flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
        <h1 dir="auto" className="min-w-0 text-xl font-semibold tracking-tight break-words">
          <Coded text={title} />
        </h1>
        {aside && <div className="flex flex-wrap items-center gap-2">{aside}</div>}
      </header>
      {children}
    </div>
  )
}

export function usePageTitle(title: string): void {
  useEffect(() => {
    titlePage(title)
  }, [title])
}

interface SectionProps {
  title: string
  hint?: ReactNode
  aside?: ReactNode
  children: ReactNode
}

/** A part of a screen under a heading of its own. */
export function Section({ title, hint, aside, children }: SectionProps) {
  return (
    <section className="mb-8">
      <header className="mb-3 flex flex-wrap items-end justify-between gap-3">
        <div className="min-w-0 flex-1 basis-64">
          <h2 className="text-lg font-semibold">{title}</h2>
          {hint && <p className="mt-0.5 text-sm text-muted">{hint}</p>}
        </div>
        {aside}
      </header>
      {children}
    </section>
  )
}

export const Card = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <div className={`rounded-lg border bg-surface ${className}`}>{children}</div>
)

let hasBegun = false

/**
 * The lower part of the first screen: it follows what is above it, in slices. Not on later ones, where a way back must
 * find the page as long as it was.
 */
export function Below({ children }: { children: ReactNode }) {
  const isHere = useDeferredValue(true, hasBegun)
  useEffect(
    () =>
      whenIdle(() => {
        hasBegun = true
      }),
    [],
  )
  return isHere && children
}

interface EmptyProps {
  icon: LucideIcon
  title: string
  children?: ReactNode
  action?: ReactNode
}

/** Nothing here yet, and what to do about it. */
export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed px-6 py-12 text-center">
      <Icon size={24} aria-hidden="true" className="text-muted" />
      <p className="font-medium">{title}</p>
      {children && <p className="max-w-md text-sm text-muted">{children}</p>}
      {action && <div className="mt-2">{action}</div>}
    </div>
  )
}

/** What could not be read: why, under which id the server's log has it, and another try. */
export function Unreadable({ error, retry }: { error: Error; retry?: () => void }) {
  const failure = error instanceof Failure ? error : null
  return (
    <div role="alert" className="flex flex-col items-center gap-2 rounded-lg border px-6 py-10 text-center">
      <AlertTriangle size={24} aria-hidden="true" className="text-danger" />
      <p className="font-medium">
        {failure?.status === 404
          ? 'Not found'
          : failure?.status === 403
            ? 'Not allowed'
            : 'Couldn’t load this'}
      </p>
      <p className="max-w-md text-sm text-muted">
        <RefusalText text={failure?.message ?? 'Something went wrong on this page.'} />
      </p>
      {failure?.requestId && <p className="font-mono text-xs text-muted">Request {failure.requestId}</p>}
      {retry && failure?.status !== 404 && failure?.status !== 403 && (
        <Button className="mt-2" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** Grey bars of about the final size, so that nothing jumps when the answer comes. */
export function Skeleton({ lines = 6, height = 'h-11' }: { lines?: number; height?: string }) {
  return (
    <div role="status" aria-label="Loading" className="flex flex-col gap-2">
      {Array.from({ length: lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike and never move
        <div key={index} className={`${height} animate-pulse rounded-md bg-hover`} />
      ))}
    </div>
  )
}

/**
 * Shows a read: its bars, its failure, or what it brought. Something large is rendered in slices, so that the page still
 * answers; not where something above it comes with the same read and would push the bars down.
 */
export function Loaded<T>({
  of,
  children,
  lines,
  inSlices,
}: {
  of: { data: T | undefined; error: Error | null; refetch: () => unknown }
  children: (data: T) => ReactNode
  lines?: number
  inSlices?: boolean
}) {
  const isThere = useDeferredValue(of.data !== undefined)
  if (of.data !== undefined && (isThere || !inSlices)) return children(of.data)
  if (of.error && of.data === undefined)
    return <Unreadable error={of.error} retry={() => void of.refetch()} />
  return <Skeleton {...(lines === undefined ? {} : { lines })} />
}

/** Tabs that are addresses. On a phone the row may be wider than the screen: the tab of the address is in sight. */
export function Tabs({ children, label }: { children: ReactNode; label: string }) {
  const row = useRef<HTMLElement>(null)
  const here = useLocation({ select: ({ href }) => href })
  const brought = useRef<{ tab: HTMLElement; here: string } | null>(null)
  // After each rendering: the tab of the address may be one that comes later than the others.
  useEffect(() => {
    const tab = row.current?.querySelector<HTMLElement>('[aria-current="page"]')
    if (!tab || (brought.current?.tab === tab && brought.current.here === here)) return
    brought.current = { tab, here }
    row.current!.scrollLeft = tab.offsetLeft - (row.current!.clientWidth - tab.offsetWidth) / 2
  })
  return (
    <nav
      ref={row}
      aria-label={label}
      className="scroll-edges relative mb-4 flex gap-1 overflow-x-auto border-b"
    >
      {children}
    </nav>
  )
}

export const tabClass = {
  className:
    'flex h-9 pointer-coarse:h-[44px] shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2.5 text-sm font-medium text-muted hover:text-text -mb-px',
  activeProps: { className: 'border-accent! text-text!', 'aria-current': 'page' as const },
}

export { Link } from './link.ts'
