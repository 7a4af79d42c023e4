import { maxEmailLength } from '@signalbox/contract/limits.ts'
import type { ComponentProps, ReactNode } from 'react'
import { TextField } from './text-field.tsx'

/** An email address, in a form that is read when it is sent. */
export const EmailField = (
  rest: Pick<ComponentProps<'input'>, 'ref' | 'autoComplete'> & { hint?: ReactNode },
) => (
  <TextField
    {...rest}
    label="Email"
    name="email"
    type="email"
    required
    maxLength={maxEmailLength}
    autoCapitalize="none"
    spellCheck={false}
  />
)
