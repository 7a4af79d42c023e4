import { useSyncExternalStore } from 'react'
import { applyFormats, type Formats } from './formats.ts'

const preference = 'signalbox.formats'
const listeners = new Set<() => void>()
let chosen = kept()
applyFormats(chosen)

function kept(): Formats {
  const text = localStorage.getItem(preference)
  return { locale: '', zone: '', ...(text ? (JSON.parse(text) as Partial<Formats>) : {}) }
}

function readAgain(): void {
  chosen = kept()
  applyFormats(chosen)
  for (const listener of listeners) listener()
}

export function chooseFormats(changed: Partial<Formats>): void {
  localStorage.setItem(preference, JSON.stringify({ ...chosen, ...changed }))
  readAgain()
}
// Chosen in another tab.
addEventListener('storage', ({ key }) => key === preference && readAgain())

export const useFormats = (): Formats =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => chosen,
  )
