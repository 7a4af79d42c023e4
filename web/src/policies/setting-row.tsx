import type { ReactNode } from 'react'
import { Badge } from '../ui/badge.tsx'
import { PathChanges } from './difference-list.tsx'
import type { Difference } from './differences.ts'
import { valueInWords } from './words.ts'

interface Props {
  change: Difference | undefined
  departure: Difference | undefined
  children: ReactNode
}

/** A setting, and beside it how it differs from the current policy and from the preset. */
export function SettingRow({ change, departure, children }: Props) {
  return (
    <div className="grid gap-x-4 gap-y-2 px-4 py-3 md:grid-cols-[1fr_13rem]">
      <div className="min-w-0">{children}</div>
      <div className="flex min-w-0 flex-col gap-2 text-xs text-muted empty:hidden md:text-right">
        {change && (
          <div>
            <Badge tone="warn" word="Unsaved" />
            <p className="mt-1 break-words">
              {change.setting === 'deniedPaths' ? (
                <PathChanges {...change} />
              ) : (
                <>Current: {valueInWords(change.setting, change.before)}</>
              )}
            </p>
          </div>
        )}
        {departure && (
          <div>
            <Badge tone="accent" word="Differs from preset" />
            <p className="mt-1 break-words">Preset: {valueInWords(departure.setting, departure.before)}</p>
          </div>
        )}
      </div>
    </div>
  )
}
