import { maxNameLength } from '@signalbox/contract/limits.ts'
import type { ComponentProps, ReactNode } from 'react'
import { grouped } from '../browser/formats.ts'
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

/** How long a text is, where it is near the most it can be: before that the number only distracts. */
export const lengthNear = (length: number, most: number): string | false =>
  length > 0.8 * most && `${grouped(length)} of ${grouped(most)} characters`

/** A text of several lines under its label. */
export const LongTextField = ({
  label,
  hint,
  onChange,
  ...rest
}: Labelled & Omit<ComponentProps<'textarea'>, keyof Labelled>) => {
  const length = lengthNear(String(rest.value ?? '').length, rest.maxLength ?? Number.POSITIVE_INFINITY)
  const said = (
    <>
      {hint}
      {length && ` ${length}`}
    </>
  )
  return (
    <Field label={label} hint={said}>
      {(ids) => (
        <Textarea {...ids} {...rest} onChange={onChange && (({ target }) => onChange(target.value))} />
      )}
    </Field>
  )
}

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
