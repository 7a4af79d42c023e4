import { passwordLength } from '@signalbox/contract/limits.ts'
import { Eye, EyeOff } from 'lucide-react'
import { type ReactNode, type Ref, useState } from 'react'
import { Field, Input } from '../ui/field.tsx'

interface Props {
  label: string
  name: string
  isNew?: boolean
  hint?: ReactNode
  error?: string | undefined
  ref?: Ref<HTMLInputElement>
}

/** A password, with a way to see what was typed. A new one says how long it must be. */
export function PasswordField({ label, name, isNew, hint, error, ref }: Props) {
  const [shown, setShown] = useState(false)
  return (
    <Field
      label={label}
      hint={hint ?? (isNew ? `At least ${passwordLength.least} characters.` : undefined)}
      error={error}
    >
      {(ids) => (
        <div className="relative">
          <Input
            {...ids}
            {...(ref ? { ref } : {})}
            name={name}
            type={shown ? 'text' : 'password'}
            autoComplete={isNew ? 'new-password' : 'current-password'}
            required
            {...(isNew ? { minLength: passwordLength.least } : {})}
            maxLength={passwordLength.most}
            spellCheck={false}
            className="pr-9"
          />
          <button
            type="button"
            aria-label={`Show ${label.toLowerCase()}`}
            aria-pressed={shown}
            onClick={() => setShown(!shown)}
            className="absolute inset-y-0 right-0 flex w-8 items-center justify-center rounded-md text-muted hover:text-text"
          >
            {shown ? <EyeOff size={14} aria-hidden="true" /> : <Eye size={14} aria-hidden="true" />}
          </button>
        </div>
      )}
    </Field>
  )
}
