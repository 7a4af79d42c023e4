import { Check, Copy as CopyIcon } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton } from './button.tsx'
import { say } from './toast.tsx'

/** Copies `text`, and says so; whether it could. */
export async function copy(text: string, what = 'Copied'): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    say(what)
    return true
  } catch {
    say('The browser blocked copying. Select the text and copy it manually.')
    return false
  }
}

/** Copies `text`. Shows that it did. */
export function CopyButton({ text, label, withWords }: { text: string; label: string; withWords?: boolean }) {
  const [done, setDone] = useState(false)
  const press = async () => {
    if (!(await copy(text))) return
    setDone(true)
    setTimeout(() => setDone(false), 1_500)
  }
  const icon = done ? <Check size={14} /> : <CopyIcon size={14} />
  return withWords ? (
    <Button size="small" icon={icon} onClick={press}>
      {label}
    </Button>
  ) : (
    <IconButton label={label} onClick={press}>
      {icon}
    </IconButton>
  )
}

/** A command, an address or a secret in one line, however long: broken inside a word it would read as something else. */
export const OneLine = ({ children }: { children: string }) => (
  <code
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    tabIndex={0}
    className="min-w-0 flex-1 overflow-x-auto py-1.5 font-mono text-xs whitespace-pre [scrollbar-width:thin]"
  >
    {children}
  </code>
)

/** Something to be copied: an address, a secret, a command. `shown` is easier to read than what is copied. */
export function Copyable({ text, label, shown = text }: { text: string; label: string; shown?: string }) {
  return (
    <div className="flex items-start gap-1 rounded-md border bg-bg py-1 pr-1 pl-3">
      <OneLine>{shown}</OneLine>
      <CopyButton text={text} label={label} />
    </div>
  )
}
