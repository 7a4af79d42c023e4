import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { ComponentProps, ReactNode } from 'react'
import { Field, Input, Textarea } from './field.tsx'

export interface Labelled {
  label: string
  hint?: ReactNode
  onChange?: (value: string) => void
}

/** A line of text under its label. */
export const TextField = ({
  label,
  hint,
  onChange,
  ...rest
}: Labelled & Omit<ComponentProps<'input'>, keyof Labelled>) => (
  <Field label={label} hint={hint}>
    {(ids) => <Input {...ids} {...rest} onChange={onChange && (({ target }) => onChange(target.value))} />}
  </Field>
)

/** A text of several lines under its label. */
export const LongTextField = ({
  label,
  hint,
  onChange,
  ...rest
}: Labelled & Omit<ComponentProps<'textarea'>, keyof Labelled>) => (
  <Field label={label} hint={hint}>
    {(ids) => <Textarea {...ids} {...rest} onChange={onChange && (({ target }) => onChange(target.value))} />}
  </Field>
)

interface NameProps {
  value: string
  onChange: (value: string) => void
  disabled?: boolean
  hint?: ReactNode
}

/** What something is called. */
export const NameField = (props: NameProps) => (
  <TextField {...props} label="Name" required maxLength={maxNameLength} />
)
