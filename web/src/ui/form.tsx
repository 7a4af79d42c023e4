import type { ComponentProps, FormEvent, ReactNode } from 'react'
import { Button, type ButtonProps } from './button.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { Refused } from './refused.tsx'
import { TypedAround, useTyped } from './typed.ts'

/** What was typed, by the name of its field. */
export type Given = (name: string) => string

interface FormProps extends Omit<ComponentProps<'form'>, 'onSubmit'> {
  onSend: (given: Given) => void
  /** What is typed outlives the form elsewhere, or is not worth a question. */
  isKept?: boolean
}

/** A form that stays where it is when it is sent, and asks before what was typed into it is left behind. */
export function Form({
  onSend,
  isKept = false,
  className = 'flex flex-col gap-4',
  children,
  ...rest
}: FormProps) {
  const typed = useTyped()
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    typed.onSubmit()
    const form = new FormData(event.currentTarget)
    onSend((name) => String(form.get(name)))
  }
  return (
    <form {...rest} className={className} onSubmit={submit} onFocus={typed.onFocus} onInput={typed.onInput}>
      <TypedAround value={typed}>{children}</TypedAround>
      {!isKept && (
        <LeaveGuard onTab when={() => typed.guards === 0 && typed.isThere()} what="What you typed" />
      )}
    </form>
  )
}

/** What a form sends, and how that goes. */
interface Sent {
  of: { isPending: boolean; error: Error | null }
  /** What else can be done, beside the button. */
  aside?: ReactNode
}

/** The end of a form: what went wrong, and the button that sends it. */
export const FormEnd = ({ of, aside, ...button }: Sent & Omit<ButtonProps, 'type' | 'busy'>) => (
  <>
    <Refused error={of.error} />
    <div className="flex flex-wrap gap-3">
      <Button type="submit" look="primary" busy={of.isPending} {...button} />
      {aside}
    </div>
  </>
)

interface SaveProps extends Sent {
  isChanged: boolean
  /** Why the person may not; false: they may. */
  forbidden: string | false
  onSave: () => void
  /** What is lost with the changes. */
  what?: string
  action?: string
  className?: string
  children: ReactNode
}

/** A form over something that is there already: it is saved once something differs, and not left unsaved unasked. */
export function SaveForm({
  of,
  aside,
  isChanged,
  forbidden,
  onSave,
  what = 'What you typed',
  action = 'Save changes',
  className,
  children,
}: SaveProps) {
  const cannot = forbidden || (!isChanged && 'No changes to save')
  return (
    <Form {...(className && { className })} onSend={() => !cannot && !of.isPending && onSave()}>
      <LeaveGuard onTab when={isChanged && !of.isPending} what={what} />
      {children}
      <FormEnd of={of} aside={aside} forbidden={cannot}>
        {action}
      </FormEnd>
    </Form>
  )
}
