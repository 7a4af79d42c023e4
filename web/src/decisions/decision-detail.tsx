import type { DecisionInFull, DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { type ComponentProps, useRef } from 'react'
import { useShortcuts } from '../browser/shortcuts.ts'
import { copy } from '../ui/copy.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { Loaded } from '../ui/page.tsx'
import { AnswerForm } from './answer-form.tsx'
import type { Answering } from './answering.ts'
import { DecisionChanges } from './decision-changes.tsx'
import { DecisionFacts } from './decision-facts.tsx'
import { Heading, type Level } from './heading.tsx'
import { OptionsAsked } from './option-choices.tsx'
import { Outcome } from './outcome.tsx'
import { Precedents } from './precedents.tsx'

interface Props {
  decision: DecisionRow
  /** The whole of it, as far as it is there. */
  read: ComponentProps<typeof Loaded<DecisionPage>>['of']
  answering: Answering
  level: Level
  leave?: () => void
}

/**
 * A decision below its title: the same in the inbox and on its page. What a list knows is shown immediately; what it
 * says and what it asks follow. Mounted again for each decision.
 */
export function DecisionDetail({ decision, read, ...rest }: Props) {
  const wasOpen = useRef(decision.status === 'pending')
  useShortcuts({
    '.': { what: 'Copy key', run: () => void copy(decision.key, `${decision.key} copied`) },
  })
  return (
    <div className="flex flex-col gap-5">
      <DecisionFacts decision={decision} />
      <Loaded of={read}>
        {(full) => (
          <Asked
            decision={{ ...full.decision, ...decision }}
            full={full}
            wasOpen={wasOpen.current}
            {...rest}
          />
        )}
      </Loaded>
    </div>
  )
}

interface AskedProps extends Omit<Props, 'decision' | 'read'> {
  decision: DecisionInFull
  full: DecisionPage
  wasOpen: boolean
}

function Asked({ decision, full, wasOpen, answering, level, leave }: AskedProps) {
  const isMine = answering.isMine(decision.key)
  return (
    <>
      {decision.status !== 'pending' && (
        <Outcome decision={decision} full={full} isMine={isMine} isRaced={wasOpen && !isMine} />
      )}
      <section>
        <Heading level={level} className="sr-only">
          Reasoning
        </Heading>
        <Markdown text={decision.body} />
      </section>
      {full.numbers.length > 0 && <Numbers numbers={full.numbers} />}
      <DecisionChanges decision={decision} full={full} level={level} />
      {decision.status === 'pending' && <Precedents decision={decision} level={level} />}
      {decision.status === 'pending' ? (
        <AnswerForm decision={decision} full={full} answering={answering} leave={leave} />
      ) : (
        <section>
          <Heading level={level} className="mb-2">
            Options
          </Heading>
          <OptionsAsked decision={decision} />
        </section>
      )}
    </>
  )
}

function Numbers({ numbers }: { numbers: DecisionPage['numbers'] }) {
  return (
    <dl className="flex flex-wrap gap-px overflow-hidden rounded-lg border bg-line">
      {numbers.map(({ label, value }) => (
        <div key={label} className="grow basis-28 bg-surface px-3 py-2">
          <dt className="text-xs text-muted">{label}</dt>
          <dd className="mt-0.5 font-semibold break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
