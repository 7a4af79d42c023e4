import { secretLength } from '@signalbox/contract/limits.ts'
import { TextField } from './text-field.tsx'

interface Props {
  label: string
  hint: string
  value: string
  onChange: (value: string) => void
  required?: boolean
  disabled?: boolean
  /** As many characters as the server wants at least. */
  minLength?: number
}

/** Something secret that is typed in or pasted, and never shown again. */
export function SecretField({ onChange, ...rest }: Props) {
  return (
    <TextField
      minLength={secretLength.least}
      {...rest}
      type="password"
      autoComplete="off"
      maxLength={secretLength.most}
      onChange={(typed) => onChange(typed.trim())}
    />
  )
}
