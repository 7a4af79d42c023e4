import { useState } from 'react'

/** What is being typed, kept in the browser until it is submitted. */
export function useUnsent(workspace: string) {
  const place = `signalbox.requirement.${workspace}`
  const [text, show] = useState(() => localStorage.getItem(place) ?? '')
  const [restored] = useState(text !== '')
  const setText = (next: string) => {
    show(next)
    if (next) localStorage.setItem(place, next)
    else localStorage.removeItem(place)
  }
  return { text, setText, restored, forget: () => localStorage.removeItem(place) }
}
