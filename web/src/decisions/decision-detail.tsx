import type { DecisionPage, DecisionRow } from '@signalbox/contract/app/decisions.ts'
import { useRef } from 'react'
import { useShortcuts } from '../browser/shortcuts.ts'
import { copy } from '../ui/copy.tsx'
import { Markdown } from '../ui/markdown.tsx'
import { AnswerForm } from './answer-form.tsx'
import type { Answering } from './answering.ts'
import { DecisionChanges } from './decision-changes.tsx'
import { DecisionFacts } from './decision-facts.tsx'
import { Heading, type Level } from './heading.tsx'
import { OptionsAsked } from './option-choices.tsx'
import { Outcome } from './outcome.tsx'

interface Props {
  decision: DecisionRow
  full: DecisionPage | undefined
  answering: Answering
  level: Level
  leave?: () => void
}

/**
 * A decision below its title: the same in the inbox and on its page. What the list knows is shown at once; what the
 * options would do follows. Mounted again for each decision.
 */
export function DecisionDetail({ decision, full, answering, level, leave }: Props) {
  const isMine = answering.isMine(decision.key)
  const wasOpen = useRef(decision.status === 'pending')
  useShortcuts({
    '.': { what: 'Copy key', run: () => void copy(decision.key, `${decision.key} copied`) },
  })
  return (
    <div className="flex flex-col gap-5">
      <DecisionFacts decision={decision} />
      {decision.status !== 'pending' && (
        <Outcome decision={decision} full={full} isMine={isMine} isRaced={wasOpen.current && !isMine} />
      )}
      <section>
        <Heading level={level} className="sr-only">
          Reasoning
        </Heading>
        <Markdown text={decision.body} />
      </section>
      {full && full.numbers.length > 0 && <Numbers numbers={full.numbers} />}
      <DecisionChanges decision={decision} full={full} level={level} />
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
    </div>
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
