import { Checkbox } from '../ui/field.tsx'
import { NumberField } from './number-field.tsx'

interface Props {
  label: string
  hint: string
  value: number | null
  /** What a limit begins with when one is wanted. */
  suggested: number | null
  unit: string
  perUnit: number
  disabled: boolean
  onChange: (value: number | null) => void
}

/** A number that may be left open. */
export function LimitField({ label, hint, value, suggested, unit, perUnit, disabled, onChange }: Props) {
  return (
    <div>
      <NumberField
        label={`${label}, ${unit}`}
        hint={hint}
        value={value}
        least={0}
        perUnit={perUnit}
        disabled={disabled || value === null}
        onChange={onChange}
      />
      <div className="mt-1.5">
        <Checkbox
          label="No limit"
          aria-label={`No limit: ${label}`}
          disabled={disabled}
          checked={value === null}
          onChange={({ target }) => onChange(target.checked ? null : (suggested ?? 10 * perUnit))}
        />
      </div>
    </div>
  )
}
