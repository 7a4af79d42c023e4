import { secretLength } from '@signalbox/contract/limits.ts'
import { Field, Input } from '../ui/field.tsx'

/** Something secret that is typed in or pasted, and never shown again. */
export function SecretField({
  label,
  hint,
  value,
  onChange,
  ...rest
}: {
  label: string
  hint: string
  value: string
  onChange: (value: string) => void
  required?: boolean
  disabled?: boolean
  /** As many characters as the server wants at least. */
  minLength?: number
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <Input
          {...ids}
          minLength={secretLength.least}
          {...rest}
          type="password"
          autoComplete="off"
          maxLength={secretLength.most}
          value={value}
          onChange={({ target }) => onChange(target.value.trim())}
        />
      )}
    </Field>
  )
}
