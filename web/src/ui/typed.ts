import { useQueryClient } from '@tanstack/react-query'
import { createContext, type FocusEvent, type FormEvent, useEffect, useState } from 'react'
import { onUnkeptSettled } from '../api/unkept-settled.ts'
import { isWritten } from './is-written.ts'

type TextBox = HTMLInputElement | HTMLTextAreaElement

/** Where people write; not what is only typed to confirm. */
const isTextBox = (target: EventTarget): target is TextBox =>
  (target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement &&
      isWritten(target.type, target.getAttribute('autocomplete') ?? ''))) &&
  !target.readOnly &&
  target.dataset.passing === undefined

/** What was typed below an element and is not sent yet. It is asked when someone leaves, so nothing is drawn again. */
class Typed {
  readonly #before = new Map<TextBox, string>()
  #isSent = false
  /** Something below knows better what is unsaved. */
  guards = 0

  readonly onFocus = ({ target }: FocusEvent): void => {
    if (isTextBox(target) && !this.#before.has(target)) this.#before.set(target, target.value)
  }

  readonly onInput = ({ target }: FormEvent): void => {
    if (!isTextBox(target)) return
    this.#isSent = false
    // It has kept the focus since what was in it was sent.
    if (!this.#before.has(target)) this.#before.set(target, '')
  }

  readonly onSubmit = (): void => {
    this.#isSent = true
  }

  /** What was refused is still unsaved; what was taken is where the next change begins. */
  settle(isTaken: boolean): void {
    if (!this.#isSent) return
    this.#isSent = false
    if (isTaken) this.forget()
  }

  forget(): void {
    this.#before.clear()
  }

  isThere(): boolean {
    if (this.#isSent) return false
    return [...this.#before].some(([box, before]) => box.isConnected && box.value.trim() !== before.trim())
  }
}

export type { Typed }

/** Put its handlers on an element, and ask it before what is below goes away. */
export function useTyped(): Typed {
  const client = useQueryClient()
  const [typed] = useState(() => new Typed())
  useEffect(
    () =>
      client.getMutationCache().subscribe((event) => {
        const status = event.type === 'updated' ? event.mutation.state.status : 'idle'
        if (status === 'error' || status === 'success') typed.settle(status === 'success')
      }),
    [client, typed],
  )
  useEffect(() => onUnkeptSettled((isTaken) => typed.settle(isTaken)), [typed])
  return typed
}

/** Of the form around. */
export const TypedAround = createContext<Typed | null>(null)
