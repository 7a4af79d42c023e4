import { allShortcuts, takeKeptKeys, turnShortcuts, useShortcutsAreOn } from '../browser/shortcuts.ts'
import { Kbd } from '../ui/badge.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/field.tsx'

const spoken = (keys: string) =>
  keys.replace('mod+', /Mac/.test(navigator.platform) ? '⌘ ' : 'Ctrl ').split(' ')

/** From here on no key reaches what lies behind it, and what was pressed before meant nothing to it. */
const isThere = (list: HTMLElement | null) => void (list && takeKeptKeys())

/** The keys that work on the screen behind it. */
export default function Help({ onClose }: { onClose: () => void }) {
  const on = useShortcutsAreOn()
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <ul ref={isThere} className="mb-4">
        {allShortcuts().map(([keys, { what }]) => (
          <li key={keys} className="flex h-8 items-center justify-between gap-4 text-sm">
            {what}
            <span className="flex gap-1">
              {spoken(keys).map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </span>
          </li>
        ))}
      </ul>
      <Switch
        label="Single-key shortcuts"
        hint="Turn these off if you use dictation or press keys by accident."
        checked={on}
        onChange={turnShortcuts}
      />
      <p className="mt-4 text-sm">
        <a href="/docs" target="_blank" rel="noopener" className="text-accent underline">
          Open manual
        </a>
      </p>
    </Dialog>
  )
}
