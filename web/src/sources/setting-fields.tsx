import { ChoiceField } from '../ui/choice.tsx'
import { Checkbox } from '../ui/field.tsx'
import { TextField } from '../ui/text-field.tsx'
import type { Kind, SourceSettings } from './kinds.ts'
import { UptimeFields } from './uptime-fields.tsx'

interface Props {
  kind: Kind
  value: SourceSettings
  onChange: (next: SourceSettings) => void
  disabled?: boolean
}

/** What can be said of a sender in addition to its name. Everything may be left empty. */
export function SettingFields({ kind, value, onChange, disabled = false }: Props) {
  const set = (name: string, next: unknown) => {
    const { [name]: _, ...rest } = value
    onChange(next === '' || next === undefined ? rest : { ...rest, [name]: next })
  }
  if (kind.kind === 'uptime') return <UptimeFields value={value} onChange={onChange} disabled={disabled} />
  return kind.settings.map(({ name, label, hint, placeholder, options, ticked }) =>
    ticked ? (
      <Checkbox
        key={name}
        label={label}
        hint={hint}
        disabled={disabled}
        checked={value[name] === ticked}
        onChange={({ target }) => set(name, target.checked ? ticked : undefined)}
      />
    ) : options ? (
      <ChoiceField
        key={name}
        label={label}
        hint={hint}
        disabled={disabled}
        value={String(value[name] ?? options[0])}
        onChange={(chosen) => set(name, chosen)}
        of={options.map((option) => [option, option])}
      />
    ) : (
      <TextField
        key={name}
        label={label}
        hint={hint}
        disabled={disabled}
        placeholder={placeholder}
        value={String(value[name] ?? '')}
        onChange={(typed) => set(name, typed.trim())}
      />
    ),
  )
}
