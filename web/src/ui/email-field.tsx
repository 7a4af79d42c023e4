import { maxEmailLength } from '@signalbox/contract/limits.ts'
import type { ComponentProps, ReactNode } from 'react'
import { Field, Input } from './field.tsx'

/** An e-mail address, in a form that is read when it is sent. */
export const EmailField = ({
  hint,
  ...rest
}: Pick<ComponentProps<'input'>, 'ref' | 'autoComplete'> & { hint?: ReactNode }) => (
  <Field label="E-mail" hint={hint}>
    {(ids) => (
      <Input
        {...ids}
        {...rest}
        name="email"
        type="email"
        required
        maxLength={maxEmailLength}
        autoCapitalize="none"
        spellCheck={false}
      />
    )}
  </Field>
)
