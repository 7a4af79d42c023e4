import { type PersonAnswer, personAnswers } from '@signalbox/contract/presence.ts'
import { Checkbox } from '../ui/field.tsx'
import { personAnswerNames } from './words.ts'

interface Props {
  label: string
  hint: string
  value: PersonAnswer[]
  disabled: boolean
  onChange: (value: PersonAnswer[]) => void
}

/** Which decisions no token can answer. */
export function PersonAnswersField({ label, hint, value, disabled, onChange }: Props) {
  return (
    <fieldset>
      <legend className="mb-1 text-sm font-medium">{label}</legend>
      <p className="mb-2 text-xs text-muted">{hint}</p>
      <div className="flex flex-col gap-2">
        {personAnswers.map((kind) => (
          <Checkbox
            key={kind}
            label={personAnswerNames[kind]}
            disabled={disabled}
            checked={value.includes(kind)}
            onChange={({ target }) =>
              onChange(
                personAnswers.filter((each) => (each === kind ? target.checked : value.includes(each))),
              )
            }
          />
        ))}
      </div>
    </fieldset>
  )
}
