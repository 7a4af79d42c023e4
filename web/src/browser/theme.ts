import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'

const preference = 'signalbox.theme'
const listeners = new Set<() => void>()
const system = matchMedia('(prefers-color-scheme: dark)')

const chosenTheme = (): Theme => (localStorage.getItem(preference) as Theme | null) ?? 'system'

export function chooseTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(preference)
  else localStorage.setItem(preference, theme)
  apply()
}

function apply(): void {
  const theme = chosenTheme()
  const dark = theme === 'dark' || (theme === 'system' && system.matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  for (const listener of listeners) listener()
}

system.addEventListener('change', apply)
// It may have changed since the page began.
apply()
// Chosen in another tab.
addEventListener('storage', ({ key }) => key === preference && apply())

export const useTheme = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosenTheme)
