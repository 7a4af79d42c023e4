import { Dialog } from '@base-ui/react/dialog'
import { maxPaletteSearchLength } from '@signalbox/contract/limits.ts'
import { Search, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useRead } from '../api/queries.ts'
import { takeKeptKeys } from '../browser/shortcuts.ts'
import { Kbd } from '../ui/badge.tsx'
import { Spinner } from '../ui/button.tsx'
import { useSettled } from '../ui/settled.ts'
import { type Choice, useChoices } from './palette-choices.ts'

/** Goes anywhere and does the common things, from the keyboard: a combobox over a list in groups. */
export default function Palette({ onClose, onHelp }: { onClose: () => void; onHelp: () => void }) {
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const id = useId()
  const asked = useSettled(typed.trim().slice(0, maxPaletteSearchLength))
  const search = useRead('workspaces.search', asked ? { q: asked } : {}, { keep: true })
  const choices = useChoices(typed, search.data?.data ?? [], onHelp)
  const active = Math.min(at, choices.length - 1)
  const optionId = (index: number) => `${id}-${index}`
  const isSearching = search.isFetching || asked !== typed.trim().slice(0, maxPaletteSearchLength)
  const [early, setEarly] = useState<string[]>([])

  const choose = (choice: Choice | undefined) => {
    if (!choice || choice.forbidden) return
    onClose()
    choice.run()
  }
  const act = (key: string): boolean => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[key]
    if (step && choices.length > 0) setAt((active + step + choices.length) % choices.length)
    else if (key === 'Enter') choose(choices[active])
    else return false
    return true
  }
  const press = (event: KeyboardEvent) => {
    if (!event.nativeEvent.isComposing && act(event.key)) event.preventDefault()
  }
  // What was typed before the field was there, as if it had been: text at once, the rest once the list stands still.
  const takeOver = () => {
    const { text, rest, closed } = readKeys(takeKeptKeys())
    if (closed) return onClose()
    if (text) setTyped((now) => now + text)
    if (rest.length > 0) setEarly(rest)
  }
  useEffect(() => {
    const [first, ...rest] = early
    if (first === undefined || isSearching) return
    setEarly(rest)
    act(first)
  })
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Dialog.Popup className="fixed inset-x-2 top-2 z-40 flex max-h-[85dvh] flex-col overflow-hidden rounded-xl border bg-raised shadow-pop outline-none sm:inset-x-auto sm:top-[12dvh] sm:left-1/2 sm:w-full sm:max-w-xl sm:-translate-x-1/2">
          <Dialog.Title className="sr-only">Search or go to</Dialog.Title>
          <div className="flex items-center gap-2.5 border-b px-4">
            <Search size={16} aria-hidden="true" className="shrink-0 text-muted" />
            <input
              ref={focus}
              onFocus={takeOver}
              role="combobox"
              aria-label="Search or go to"
              aria-expanded={choices.length > 0}
              aria-controls={`${id}-list`}
              aria-autocomplete="list"
              aria-activedescendant={active >= 0 ? optionId(active) : undefined}
              placeholder="Search or type a key"
              value={typed}
              maxLength={maxPaletteSearchLength}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              onChange={({ target }) => {
                setTyped(target.value)
                setAt(0)
              }}
              onKeyDown={press}
              className="h-12 min-w-0 flex-1 bg-transparent text-base outline-none pointer-coarse:text-touch placeholder:text-muted"
            />
            {isSearching && typed && <Spinner />}
            <Dialog.Close className="flex min-h-8 min-w-8 shrink-0 items-center justify-center rounded-md text-muted hover:text-text">
              <span className="sr-only">Close</span>
              <X size={16} aria-hidden="true" className="sm:hidden" />
              <span className="hidden sm:block">
                <Kbd>Esc</Kbd>
              </span>
            </Dialog.Close>
          </div>
          <List
            id={id}
            choices={choices}
            active={active}
            optionId={optionId}
            onActive={setAt}
            onChoose={choose}
          />
          <div role="status" className="sr-only">
            {typed && !isSearching && `${choices.length} ${choices.length === 1 ? 'result' : 'results'}`}
          </div>
          {choices.length === 0 && (
            <p className="px-4 py-8 text-center text-sm break-words text-muted">
              {isSearching
                ? 'Searching…'
                : search.error
                  ? search.error.message
                  : `No results for “${typed.trim()}”.`}
            </p>
          )}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

interface ListProps {
  id: string
  choices: Choice[]
  active: number
  optionId: (index: number) => string
  onActive: (index: number) => void
  onChoose: (choice: Choice) => void
}

function List({ id, choices, active, optionId, onActive, onChoose }: ListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })
  const groups = [...new Set(choices.map(({ group }) => group))]
  return (
    <div
      ref={list}
      id={`${id}-list`}
      role="listbox"
      aria-label="Choices"
      className="min-h-0 overflow-y-auto p-2 empty:hidden"
    >
      {groups.map((group, nth) => (
        // biome-ignore lint/a11y/useSemanticElements: a group of options in a listbox has no element of its own
        <div key={group} role="group" aria-labelledby={`${id}-group-${nth}`} className="mb-1">
          <div id={`${id}-group-${nth}`} className="px-2 py-1 text-2xs font-medium text-muted">
            {group}
          </div>
          {choices.map(
            (choice, index) =>
              choice.group === group && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: keys are pressed in the field above, which names it
                <div
                  key={choice.id}
                  id={optionId(index)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={index === active}
                  aria-disabled={choice.forbidden ? true : undefined}
                  onPointerMove={() => index !== active && onActive(index)}
                  onClick={() => onChoose(choice)}
                  className="flex min-h-9 cursor-default items-center gap-2.5 rounded-md px-2 text-sm aria-disabled:text-muted aria-selected:bg-selected"
                >
                  <choice.icon size={16} aria-hidden="true" className="shrink-0 text-muted" />
                  <span dir="auto" className="min-w-0 flex-1 truncate">
                    {choice.title}
                  </span>
                  <span className="max-w-[45%] shrink-0 truncate text-xs text-muted">
                    {choice.forbidden ?? choice.note}
                  </span>
                </div>
              ),
          )}
        </div>
      ))}
    </div>
  )
}

/** As soon as it is there: the keys are kept until it has the focus. */
const focus = (field: HTMLInputElement | null) => field?.focus()

/** Keys that were not handled yet. Text ends where a choice begins; Escape takes all of it back. */
function readKeys(keys: string[]): { text: string; rest: string[]; closed: boolean } {
  let text = ''
  const rest: string[] = []
  for (const key of keys) {
    if (key === 'Escape') return { text: '', rest: [], closed: true }
    if (/^(Enter|ArrowDown|ArrowUp)$/.test(key)) rest.push(key)
    else if (rest.length > 0) continue
    else if (key === 'Backspace') text = text.slice(0, -1)
    else if ([...key].length === 1) text += key
  }
  return { text, rest, closed: false }
}
