import { useState } from 'react'

/** What is being typed, kept in the browser until it is submitted. */
export function useUnsent(workspace: string) {
  const storageKey = `signalbox.requirement.${workspace}`
  const [text, show] = useState(() => localStorage.getItem(storageKey) ?? '')
  const [restored] = useState(text !== '')
  const setText = (next: string) => {
    show(next)
    if (next) localStorage.setItem(storageKey, next)
    else localStorage.removeItem(storageKey)
  }
  return { text, setText, restored, forget: () => localStorage.removeItem(storageKey) }
}
