import type { ComponentProps } from 'react'
import { Field, Select } from './field.tsx'
import type { Labelled } from './text-field.tsx'

export interface Choices {
  /** What it is called when nothing is chosen; it stands first. Without it something always is. */
  none?: string | undefined
  /** What can be chosen: values, each with its name. */
  of: Record<string, string> | [value: string, name: string][] | undefined
}

type Props = Choices & Omit<ComponentProps<'select'>, keyof Labelled>

/** One of several, for a row of filters: its label is read out, not shown. */
export const Choice = ({ label, none, of, onChange, ...rest }: Props & Omit<Labelled, 'hint'>) => (
  <Select {...rest} aria-label={label} onChange={onChange && (({ target }) => onChange(target.value))}>
    <Options none={none} of={of} />
  </Select>
)

/** One of several under its label. */
export const ChoiceField = ({ label, hint, none, of, onChange, ...rest }: Props & Labelled) => (
  <Field label={label} hint={hint}>
    {(ids) => (
      <Select {...ids} {...rest} onChange={onChange && (({ target }) => onChange(target.value))}>
        <Options none={none} of={of} />
      </Select>
    )}
  </Field>
)

const Options = ({ none, of = [] }: Choices) => (
  <>
    {none && <option value="">{none}</option>}
    {(Array.isArray(of) ? of : Object.entries(of)).map(([value, name]) => (
      <option key={value} value={value}>
        {name}
      </option>
    ))}
  </>
)
