import type { DecisionInFull, DecisionPage } from '@signalbox/contract/app/decisions.ts'
import { CheckCircle2 } from 'lucide-react'
import { Badge, Kbd } from '../ui/badge.tsx'

interface Choices {
  decision: DecisionInFull
  consequences: DecisionPage['consequences']
}

const sentenceOf = (consequences: Choices['consequences'], optionId: string) =>
  consequences.find((consequence) => consequence.optionId === optionId)?.sentence

/** What can be answered: big, numbered, each with what it would do. */
export function OptionChoices({
  decision,
  consequences,
  chosen,
  onChoose,
}: Choices & { chosen: string | null; onChoose: (optionId: string) => void }) {
  return (
    <fieldset className="flex min-w-0 flex-col gap-2">
      <legend className="mb-2 text-sm font-medium">Your answer</legend>
      {decision.options.map((option, index) => (
        <label
          key={option.id}
          className="flex cursor-pointer items-start gap-3 rounded-lg border bg-surface px-3 py-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-selected has-focus-visible:outline-2 has-focus-visible:outline-accent"
        >
          <input
            type="radio"
            name={`option-${decision.key}`}
            value={option.id}
            checked={chosen === option.id}
            onChange={() => onChoose(option.id)}
            aria-describedby={`effect-${decision.key}-${option.id}`}
            className="mt-0.5 size-4 shrink-0 accent-(--accent-fill) outline-none"
          />
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
              <span dir="auto" className="min-w-0 font-medium break-words">
                {option.label}
              </span>
              {/* Framed: on a row that is chosen its own colour would be gone. */}
              {option.recommended && (
                <span className="inline-flex rounded ring-1 ring-accent/60">
                  <Badge tone="accent" word="Recommended" />
                </span>
              )}
            </span>
            <Consequence
              decision={decision}
              option={option.id}
              sentence={sentenceOf(consequences, option.id)}
            />
          </span>
          <span className="max-md:hidden" aria-hidden="true">
            <Kbd>{index + 1}</Kbd>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** What could have been answered, once it is over. */
export function OptionsAsked({ decision }: { decision: DecisionInFull }) {
  const answer = decision.resolution?.optionId
  return (
    <ul className="flex flex-col gap-1.5">
      {decision.options.map((option) => (
        <li
          key={option.id}
          className={`flex flex-wrap items-center gap-2 rounded-lg border px-3 py-2 text-sm ${option.id === answer ? 'border-line-strong font-medium' : 'text-muted'}`}
        >
          <span className="min-w-0 break-words">{option.label}</span>
          {option.id === answer && <Badge tone="ok" icon={CheckCircle2} word="Chosen" />}
          {option.recommended && <Badge word="Recommended" />}
        </li>
      ))}
    </ul>
  )
}

interface ConsequenceProps {
  decision: DecisionInFull
  option: string
  sentence: string | undefined
}

function Consequence({ decision, option, sentence }: ConsequenceProps) {
  return (
    <span
      id={`effect-${decision.key}-${option}`}
      className="mt-0.5 block min-h-5 text-sm break-words text-muted"
    >
      {sentence}
    </span>
  )
}
