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
          minLength={16}
          {...rest}
          type="password"
          autoComplete="off"
          maxLength={500}
          value={value}
          onChange={({ target }) => onChange(target.value.trim())}
        />
      )}
    </Field>
  )
}
