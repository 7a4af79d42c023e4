import type { ReactNode } from 'react'
import { usePageTitle } from '../ui/page.tsx'

interface Props {
  title: string
  lead?: ReactNode
  children?: ReactNode
  below?: ReactNode
  wide?: boolean
}

/** What stands around the screens before one is inside: a card with the mark, in the middle of a calm page. */
export function Entry({ title, lead, children, below, wide }: Props) {
  usePageTitle(title)
  return (
    <main className="flex min-h-dvh flex-col items-center px-4 py-8 sm:justify-center sm:py-12">
      <div className={`w-full ${wide ? 'max-w-md' : 'max-w-sm'}`}>
        <div className="rounded-xl border bg-surface p-6 sm:p-8">
          <img src="/favicon.svg" alt="" width={36} height={36} className="mb-4" />
          <h1 className="text-xl font-semibold tracking-tight break-words">{title}</h1>
          {lead && <div className="mt-1 text-sm break-words text-muted">{lead}</div>}
          {children && <div className="mt-5">{children}</div>}
        </div>
        {below && <div className="mt-4 px-2 text-center text-sm text-muted">{below}</div>}
      </div>
    </main>
  )
}

/**
 * For the field that one came to fill in: the focus is there from the start. Not under fingers, where a keyboard would
 * come up over what there is to read.
 */
export const focusFirst = (field: HTMLInputElement | null): void => {
  if (matchMedia('(pointer: fine)').matches) field?.focus()
}

export const entryLink = 'font-medium text-accent underline underline-offset-2'
