import { useState } from 'react'

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

/**
 * What someone has changed in a form and not saved yet. What changes elsewhere comes through, except where
 * it was typed over.
 */
export function useDraft<T extends object>(saved: T) {
  const [draft, setDraft] = useState<Partial<T>>({})
  const value: T = { ...saved, ...draft }
  const changed = (Object.keys(saved) as (keyof T)[]).filter((name) => !same(value[name], saved[name]))
  return {
    value,
    changed,
    changes: Object.fromEntries(changed.map((name) => [name, value[name]])) as Partial<T>,
    set: (part: Partial<T>) => setDraft((before) => ({ ...before, ...part })),
    /** What a field shows, and what it does with what is typed. */
    field: <N extends keyof T>(name: N) => ({
      value: value[name],
      onChange: (next: T[N]) => setDraft((before) => ({ ...before, [name]: next })),
    }),
    discard: () => setDraft({}),
  }
}
