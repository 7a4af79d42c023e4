import { type ComponentProps, type ReactNode, useId } from 'react'

// Where fingers type the text is larger: a phone would zoom in on a smaller one.
const box =
  'w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm pointer-coarse:text-touch text-text placeholder:text-muted focus:border-accent disabled:opacity-60 aria-invalid:border-danger'

interface FieldProps {
  label: string
  hint?: ReactNode
  error?: string | undefined
  children: (ids: { id: string; 'aria-describedby': string; 'aria-invalid': boolean }) => ReactNode
}

/** A label, what it labels, what to know about it, and what is wrong with it. */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': Boolean(error) })}
      <div id={`${id}-hint`} className="text-xs text-muted empty:hidden">
        {error ? <span className="text-danger">{error}</span> : hint}
      </div>
    </div>
  )
}

export const Input = ({ className = '', ...rest }: ComponentProps<'input'>) => (
  <input dir="auto" {...rest} className={`${box} h-8 pointer-coarse:h-[44px] ${className}`} />
)

export const Textarea = ({ className = '', ...rest }: ComponentProps<'textarea'>) => (
  <textarea dir="auto" {...rest} className={`${box} py-2 leading-relaxed ${className}`} />
)

/** The browser's own list: it works with every keyboard, every reader and every phone. */
export const Select = ({ className = '', children, ...rest }: ComponentProps<'select'>) => (
  <select {...rest} className={`${box} h-8 pointer-coarse:h-[44px] pr-7 ${className}`}>
    {children}
  </select>
)

export function Checkbox({
  label,
  hint,
  ...rest
}: ComponentProps<'input'> & { label: ReactNode; hint?: ReactNode }) {
  const id = useId()
  return (
    <div className="flex items-start gap-2.5">
      <input
        {...rest}
        id={id}
        type="checkbox"
        aria-describedby={`${id}-hint`}
        className="mt-1 size-4 shrink-0 accent-(--accent-fill)"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium">
          {label}
        </label>
        <div id={`${id}-hint`} className="text-xs text-muted empty:hidden">
          {hint}
        </div>
      </div>
    </div>
  )
}

interface SwitchProps {
  label: string
  hint?: ReactNode
  checked: boolean
  onChange: (next: boolean) => void
  forbidden?: string | false | undefined
}

/** On or off, at once. */
export function Switch({ label, hint, checked, onChange, forbidden }: SwitchProps) {
  const id = useId()
  return (
    <div className="flex items-start justify-between gap-4">
      <div className="min-w-0">
        <div id={id} className="text-sm font-medium">
          {label}
        </div>
        <div id={`${id}-hint`} className="text-xs text-muted empty:hidden">
          {forbidden ? forbidden : hint}
        </div>
      </div>
      <button
        type="button"
        role="switch"
        aria-checked={checked}
        aria-labelledby={id}
        aria-describedby={`${id}-hint`}
        aria-disabled={Boolean(forbidden)}
        onClick={() => !forbidden && onChange(!checked)}
        // What a finger meets is larger than what is seen.
        className={`relative mt-0.5 h-[24px] w-[40px] shrink-0 rounded-full border transition-colors forced-color-adjust-none pointer-coarse:before:absolute pointer-coarse:before:-inset-[11px] aria-disabled:opacity-60 ${checked ? 'border-transparent bg-accent-fill' : 'border-line-strong bg-hover'}`}
      >
        <span
          aria-hidden="true"
          className={`absolute top-[2px] size-[18px] rounded-full transition-[left] ${checked ? 'left-[19px] bg-white' : 'left-[2px] bg-line-strong'}`}
        />
      </button>
    </div>
  )
}
