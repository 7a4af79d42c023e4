import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Shortcut {
  /** What it does, for the list behind `?`. */
  what: string
  run: () => void
}

/** By key as it is typed: `j`, `?`, `g i`, `mod+k` (Cmd on a Mac, Ctrl elsewhere), `Enter`. */
export type Shortcuts = Record<string, Shortcut>

/** Newest first: what a dialog or a pane registers stands before what the page does. */
let registered: { shortcuts: Shortcuts }[] = []
let pending = ''
let pendingTimer: ReturnType<typeof setTimeout> | undefined

const preference = 'signalbox.shortcuts'
const listeners = new Set<() => void>()

/** Single keys get in the way of speech input; they can be turned off (WCAG 2.1.4). */
const shortcutsAreOn = () => localStorage.getItem(preference) !== 'off'
export function turnShortcuts(on: boolean): void {
  localStorage.setItem(preference, on ? 'on' : 'off')
  for (const listener of listeners) listener()
}
addEventListener('storage', ({ key }) => {
  if (key === preference) for (const listener of listeners) listener()
})
export const useShortcutsAreOn = () =>
  useSyncExternalStore((listener) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, shortcutsAreOn)

/** Listens while the component is there. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const entry = useRef({ shortcuts })
  entry.current.shortcuts = shortcuts
  useEffect(() => {
    const mine = entry.current
    registered = [mine, ...registered]
    return () => {
      registered = registered.filter((other) => other !== mine)
    }
  }, [])
}

/** Everything that can be pressed now. */
export const allShortcuts = (): [string, Shortcut][] => {
  const found = new Map<string, Shortcut>()
  for (const { shortcuts } of registered)
    for (const [keys, shortcut] of Object.entries(shortcuts)) if (!found.has(keys)) found.set(keys, shortcut)
  return [...found]
}

export function listenForShortcuts(): () => void {
  document.addEventListener('keydown', press)
  return () => document.removeEventListener('keydown', press)
}

/** What was typed since something began to open, which is not there yet to hear it. */
let kept: string[] | null = null

/** From now on every key belongs to what is about to open: nothing behind it hears one until they are taken. */
export function keepKeys(): void {
  kept ??= []
  for (const type of ['keydown', 'keypress', 'keyup']) addEventListener(type, keep, true)
}

/** To be called by what has opened and has the focus: the keys are its own from here on, and these were before. */
export function takeKeptKeys(): string[] {
  for (const type of ['keydown', 'keypress', 'keyup']) removeEventListener(type, keep, true)
  const keys = kept ?? []
  kept = null
  return keys
}

/** Runs before all other handlers. The browser's own shortcuts, such as reload, are not touched. */
function keep(event: Event): void {
  const { type, key, ctrlKey, metaKey, altKey } = event as KeyboardEvent
  event.stopImmediatePropagation()
  if (ctrlKey || metaKey || altKey) return
  event.preventDefault()
  if (type === 'keydown') kept?.push(key)
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.altKey) return
  // A key that is held down may go on through a list, but it answers nothing twice.
  if (event.repeat && !/^(j|k|Arrow.*)$/.test(event.key)) return
  const modified = event.metaKey || event.ctrlKey
  const key = modified ? `mod+${event.key.toLowerCase()}` : event.key
  if (!modified && (isTyping(event.target) || somethingIsOpen() || !shortcutsAreOn())) return
  const shortcut = find(pending ? `${pending} ${key}` : key) ?? find(key)
  clearTimeout(pendingTimer)
  if (shortcut) {
    pending = ''
    event.preventDefault()
    shortcut.run()
  } else if (!modified && startsSequence(key)) {
    pending = key
    pendingTimer = setTimeout(() => {
      pending = ''
    }, 1_000)
  } else pending = ''
}

const find = (keys: string): Shortcut | undefined =>
  registered.find(({ shortcuts }) => Object.hasOwn(shortcuts, keys))?.shortcuts[keys]

const startsSequence = (key: string) => allShortcuts().some(([keys]) => keys.startsWith(`${key} `))

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) &&
  !(target instanceof HTMLInputElement && /^(checkbox|radio|button)$/.test(target.type))

/** Also before it has the focus: what lies behind it hears nothing. A toast is a dialog too, but lies before nothing. */
const somethingIsOpen = () =>
  document.querySelector('[role="dialog"]:not([aria-modal="false"]), [role="menu"]') !== null
