import { ChoiceField } from '../ui/choice.tsx'
import { SecretField } from '../ui/secret-field.tsx'
import { LongTextField, TextField } from '../ui/text-field.tsx'
import type { Tool, Way } from './tools.ts'

interface Props {
  way: Way
  values: Record<string, string>
  onChange: (values: Record<string, string>) => void
}

/** What one way to sign in takes. */
export function CredentialFields({ way, values, onChange }: Props) {
  return way.fields.map(({ name, label, hint, isPlain, isLong, isOptional }) => {
    const given = {
      ...{
        label: isOptional ? `${label} (optional)` : label,
        required: !isOptional,
        value: values[name] ?? '',
      },
      onChange: (value: string) => onChange({ ...values, [name]: value }),
    }
    if (isPlain) return <TextField key={name} {...given} hint={hint} autoComplete="off" />
    if (isLong)
      return (
        <LongTextField
          key={name}
          {...given}
          hint={hint}
          rows={6}
          autoComplete="off"
          spellCheck={false}
          className="font-mono"
        />
      )
    return <SecretField key={name} {...given} hint={hint ?? ''} minLength={4} />
  })
}

interface MethodChoiceProps {
  tool: Tool
  value: string
  onChange: (method: string) => void
}

/** Which way to sign in, where a tool has several. */
export const MethodChoice = ({ tool, ...rest }: MethodChoiceProps) =>
  tool.ways.length > 1 && (
    <ChoiceField label="How to sign in" of={tool.ways.map(({ method, name }) => [method, name])} {...rest} />
  )

/** What to click over there, in order. */
export const Steps = ({ of }: { of: string[] }) => (
  <ol className="list-decimal space-y-1.5 pl-5 text-sm">
    {of.map((step) => (
      <li key={step}>{step}</li>
    ))}
  </ol>
)
