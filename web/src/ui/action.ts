import type { PersonalWrites, Writes } from '@signalbox/contract/app/index.ts'
import type { InputOf, ResponseOf } from '@signalbox/contract/app/operation.ts'
import type { useChange } from '../api/mutation.ts'
import { usePersonalWrite, useWrite } from '../api/queries.ts'
import { complain, say } from './toast.tsx'

/** What follows a write, told once where the write is named instead of wherever it is sent. */
export interface Follows<I, A> {
  /** What is said once it is done; nothing where it returns nothing. */
  said?: string | ((answer: A, input: I) => string | false | undefined)
  /** The way back, offered beside what is said. */
  undo?: (answer: A, input: I) => void
  /** What comes next: a form closes, another page opens. */
  next?: (answer: A, input: I) => unknown
}

/**
 * A write that knows what follows it. A form shows what went wrong beside its button, so it is sent with `send`; a
 * button has no room for that, so that `press` says it in a toast. Neither sends what is still under way again.
 */
export function useFollowed<I, A>(
  change: ReturnType<typeof useChange<A, I>>,
  { said, undo, next }: Follows<I, A>,
) {
  const onSuccess = (input: I) => (answer: A) => {
    const words = typeof said === 'function' ? said(answer, input) : said
    if (words) say(words, undo && (() => undo(answer, input)))
    return next?.(answer, input)
  }
  const send = (input: I) => {
    if (!change.isPending) change.mutate(input, { onSuccess: onSuccess(input) })
  }
  const press = (input: I, onSettled?: () => void) => {
    if (change.isPending) return
    change.mutate(input, { onSuccess: onSuccess(input), onError: complain, ...(onSettled && { onSettled }) })
  }
  /** For the button that does it. */
  const button = (input: I) => ({ busy: change.isPending, onClick: () => press(input) })
  return { ...change, send, press, button }
}

export const useAction = <N extends keyof Writes>(
  name: N,
  {
    alsoStale = [],
    ...follows
  }: Follows<InputOf<Writes[N]>, ResponseOf<Writes[N]>> & { alsoStale?: string[] } = {},
) => useFollowed(useWrite(name, { alsoStale }), follows)

export const usePersonalAction = <N extends keyof PersonalWrites>(
  name: N,
  follows: Follows<InputOf<PersonalWrites[N]>, ResponseOf<PersonalWrites[N]>> = {},
) => useFollowed(usePersonalWrite(name), follows)
