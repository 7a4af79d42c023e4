import type { DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { Maximize2 } from 'lucide-react'
import { memo } from 'react'
import { useRead } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { Coded } from '../ui/coded.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { KeyLink } from '../ui/key-link.tsx'
import { Skeleton, Unreadable } from '../ui/page.tsx'
import type { Answering } from './answering.ts'
import { DecisionContext } from './decision-context.tsx'
import { DecisionDetail } from './decision-detail.tsx'
import { currentOf } from './inbox-lists.ts'
import { Snooze } from './snooze.tsx'

/** The selected decision beside the list. */
export const InboxPane = memo(function InboxPane({
  decisionKey: key,
  row,
  answering,
  leave,
  onSnoozed,
}: {
  decisionKey: string
  /** As the list has it; gone once someone has answered it. */
  row: DecisionRow | undefined
  answering: Answering
  leave: () => void
  onSnoozed: (key: string) => void
}) {
  const read = useRead('decisions.read', { key })
  const decision = currentOf(row, read.data)
  return (
    <section
      key={key}
      aria-label="Selected decision"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      className="min-w-0 flex-1 overflow-y-auto px-8 pt-5 -outline-offset-2!"
    >
      {decision ? (
        <div className="mx-auto max-w-3xl">
          <header className="mb-3">
            <div className="mb-1 flex items-center gap-1 text-xs text-muted">
              <span className="mr-auto font-mono">{key}</span>
              <Snooze decision={decision} onSnoozed={onSnoozed} />
              <CopyButton text={key} label="Copy key" />
              <KeyLink
                to="decision"
                of={key}
                aria-label="Open full page"
                title="Open full page"
                className={buttonClass('quiet', 'icon')}
              >
                <Maximize2 size={14} aria-hidden="true" />
              </KeyLink>
            </div>
            <h2 dir="auto" className="text-lg leading-snug font-semibold tracking-tight break-words">
              <Coded text={decision.title} />
            </h2>
          </header>
          <DecisionDetail decision={decision} read={read} answering={answering} level={3} leave={leave} />
          {read.data && <DecisionContext full={read.data} level={3} className="mt-5 border-t pt-5" />}
          <div className="h-8" />
        </div>
      ) : read.error ? (
        <Unreadable error={read.error} retry={() => void read.refetch()} />
      ) : (
        <Skeleton />
      )}
    </section>
  )
})
