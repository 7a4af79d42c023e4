import type { ComponentProps, FormEvent } from 'react'

/** What was typed, by the name of its field. */
export type Given = (name: string) => string

/** A form that stays where it is when it is sent. */
export function Form({
  onSend,
  className = 'flex flex-col gap-4',
  ...rest
}: Omit<ComponentProps<'form'>, 'onSubmit'> & { onSend: (given: Given) => void }) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    onSend((name) => String(form.get(name)))
  }
  return <form {...rest} className={className} onSubmit={submit} />
}
