import type { ChangeEvent, ComponentProps, ReactNode } from 'react'
import { Field, Input, Textarea } from './field.tsx'

type Passed = 'required' | 'maxLength' | 'disabled' | 'autoComplete' | 'autoFocus' | 'title' | 'className'

/** A line of text under its label; with `rows`, a text of several lines. */
export function TextField({
  label,
  hint,
  value,
  onChange,
  rows,
  pattern,
  ...rest
}: Pick<ComponentProps<'input'>, Passed> & {
  label: string
  hint?: ReactNode
  value: string
  onChange: (value: string) => void
  rows?: number
  pattern?: string
}) {
  const change = ({ target }: ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => onChange(target.value)
  return (
    <Field label={label} hint={hint}>
      {(ids) =>
        rows === undefined ? (
          <Input {...ids} {...rest} pattern={pattern} value={value} onChange={change} />
        ) : (
          <Textarea {...ids} {...rest} rows={rows} value={value} onChange={change} />
        )
      }
    </Field>
  )
}
