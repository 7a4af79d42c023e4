import { maxRunnerLabelLength, maxRunnerLabels } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { Field, Input } from '../ui/field.tsx'

interface Props {
  label: string
  hint: string
  value: string[]
  disabled: boolean
  onChange: (value: string[]) => void
}

/** Words with commas between them. While they are typed they may be anything; once left, it shows what is kept. */
export function LabelsField({ label, hint, value, disabled, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const isBad = typed !== null && !isTaken(wordsIn(typed))
  return (
    <Field label={label} hint={hint} error={isBad ? complaint : undefined}>
      {(ids) => (
        <Input
          {...ids}
          disabled={disabled}
          placeholder="any runner"
          value={typed ?? value.join(', ')}
          onBlur={() => setTyped(null)}
          onChange={({ target }) => {
            setTyped(target.value)
            const words = wordsIn(target.value)
            if (isTaken(words)) onChange(words)
          }}
          className="max-w-96"
        />
      )}
    </Field>
  )
}

const complaint = `Up to ${maxRunnerLabels} labels of up to ${maxRunnerLabelLength} characters. The previous value is kept.`

const wordsIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((word) => word.trim())
      .filter(Boolean),
  ),
]

const isTaken = (words: string[]) =>
  words.length <= maxRunnerLabels && words.every((word) => word.length <= maxRunnerLabelLength)
