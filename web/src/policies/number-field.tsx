import { maxPolicyNumber } from '@signalbox/contract/limits.ts'
import { useState } from 'react'
import { grouped } from '../browser/formats.ts'
import { Field, Input } from '../ui/field.tsx'

interface Props {
  label: string
  hint?: string | undefined
  value: number | null
  least: number
  /** Stored units in one shown unit: 100 cents in a euro. */
  perUnit?: number
  disabled: boolean
  onChange: (value: number) => void
}

/** A number. While it is typed it may be anything; once it is left, it shows what is kept. */
export function NumberField({ label, hint, value, least, perUnit = 1, disabled, onChange }: Props) {
  const [typed, setTyped] = useState<string | null>(null)
  const shown = value === null ? '' : String(value / perUnit)
  const isBad = typed !== null && toStored(typed, least, perUnit) === null
  return (
    <Field label={label} hint={hint} error={isBad ? complaint(least, perUnit) : undefined}>
      {(ids) => (
        <Input
          {...ids}
          inputMode={perUnit === 1 ? 'numeric' : 'decimal'}
          disabled={disabled}
          placeholder={value === null ? 'no limit' : ''}
          value={typed ?? shown}
          onBlur={() => setTyped(null)}
          onChange={({ target }) => {
            setTyped(target.value)
            const stored = toStored(target.value, least, perUnit)
            if (stored !== null) onChange(stored)
          }}
          className="max-w-48"
        />
      )}
    </Field>
  )
}

const complaint = (least: number, perUnit: number) =>
  `${perUnit === 1 ? 'A whole number' : 'A number'} from ${least} to ${grouped(maxPolicyNumber / perUnit)}. The previous value is kept.`

function toStored(text: string, least: number, perUnit: number): number | null {
  const number = Number(text.trim().replace(',', '.'))
  if (text.trim() === '' || !Number.isFinite(number) || (perUnit === 1 && !Number.isInteger(number)))
    return null
  const stored = Math.round(number * perUnit)
  return stored >= least && stored <= maxPolicyNumber ? stored : null
}
